#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes launcher_paths.h, for launcher.c, to stdout.
#
#    make_launcher_paths.sh VALGRIND BESIDE OTHERWISE
#
# launcher.c says what the three are.

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
END
