# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# core_gpl_version INCLUDE_FOLDER: 2 or 3, the version of the GPL that the headers of the
# installed core name.  What is linked to that core is given on under it, or a later one.

core_gpl_version()
{
   if tr '\n' ' ' < "$1/pub_tool_basics.h" |
      grep -q 'either *version 3 of the *License'; then
      echo 3
   else
      echo 2
   fi
}
