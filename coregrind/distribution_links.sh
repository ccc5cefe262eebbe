#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fills a folder with links to what the installed Valgrind brings, and empties it again.
#
#    distribution_links.sh tools FROM TO          all of the folder FROM, but no callgrind
#    distribution_links.sh files FROM TO NAME...  those of the named files that are there
#    distribution_links.sh remove FROM TO         the links in TO that lead into FROM
#
# CORE_ROOT, if it is set, is a folder that holds another machine's files, FROM too.  The
# links are for that machine, on which it is the root.
#
# Owns: which of the distribution's files stand beside our own.  Its callgrind-PLATFORM is
# left out for every platform: a program of a platform that ours was not built for must be
# refused, not measured with another tool under our tool's name.

set -eu

complain()
{
   echo "distribution_links.sh: $1" >&2
   exit 1
}

# A file that is no link of ours is somebody's: never replaced.
link_one()
{
   if [ -e "$to/${1##*/}" ] && [ ! -L "$to/${1##*/}" ]; then
      complain "$to/${1##*/} exists and is not a link; it is left alone"
   fi
   ln -sf -- "${1#"$root"}" "$to/${1##*/}"
}

remove_links()
{
   for link in "$to"/* "$to"/.[!.]*; do
      if [ -L "$link" ]; then
         case $(readlink -- "$link") in
            "${from#"$root"}"/*) rm -f -- "$link" ;;
         esac
      fi
   done
}

link_tools()
{
   for file in "$from"/*; do
      case ${file##*/} in
         callgrind-*) ;;
         *) link_one "$file" ;;
      esac
   done
}

link_files()
{
   for name; do
      if [ -e "$from/$name" ]; then
         link_one "$from/$name"
      fi
   done
}

[ $# -ge 3 ] || complain "usage: tools|files|remove FROM TO [NAME...]"
action=$1 from=${2%/} to=${3%/} root=${CORE_ROOT:-}
shift 3
case $action in
   tools)
      # Links to files that an older version of the distribution had must not stay.
      mkdir -p -- "$to"
      remove_links
      link_tools
      ;;
   files)
      mkdir -p -- "$to"
      link_files "$@"
      ;;
   remove)
      remove_links
      ;;
   *)
      complain "unknown action '$action'"
      ;;
esac
