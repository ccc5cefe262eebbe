#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes launcher_paths.h, for launcher.c, to stdout.
#
#    make_launcher_paths.sh VALGRIND BESIDE OTHERWISE CORE_TOOL CORE_ROOT CORE_VERSION
#
# launcher.c says what the first three are.  CORE_TOOL is a tool of the installed
# Valgrind, whose size tells whether that is still the one that was built for, version
# CORE_VERSION.  On the machine that it runs on, its path has no CORE_ROOT.

set -eu

# A string of C, whatever its characters but line feeds.
quoted()
{
   printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g; s/?/\\?/g')"
}

cat << END
/* Written by coregrind/make_launcher_paths.sh.  */
#define LAUNCHER_VALGRIND $(quoted "$1")
#define LAUNCHER_BESIDE $(quoted "$2")
#define LAUNCHER_OTHERWISE $(quoted "$3")
#define LAUNCHER_CORE_TOOL $(quoted "${4#"$5"}")
#define LAUNCHER_CORE_BYTES $(wc -c < "$4")
#define LAUNCHER_CORE_VERSION $(quoted "$6")
END
