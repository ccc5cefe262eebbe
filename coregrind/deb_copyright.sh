#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deb_copyright.sh SOURCE_FOLDER CORE_HEADERS: writes the copyright file of the Debian
# package to stdout.  Owns: under which licence the package as a whole may be given on; it
# is that of the sources together with that of the core that the tool is linked to.

set -eu

source=$1
. "$source/coregrind/core_licence.sh"
gpl=$(core_gpl_version "$2")

cat <<END_OF_HEAD
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: callgrind-exact
Comment: The tool contains the static library of Valgrind's core, which is under the GPL,
 version $gpl or later. So the package as a whole is under the GPL, version $gpl or later.

Files: *
Copyright: 2026 the authors of callgrind-exact
 2000-2017 Julian Seward and the other authors of Valgrind
License: GPL-$gpl+
 This package is free software; you can redistribute it and/or modify it under the terms
 of the GNU General Public License as published by the Free Software Foundation; either
 version $gpl of the License, or (at your option) any later version.
 .
 On Debian systems, the text of the license is in /usr/share/common-licenses/GPL-$gpl.
END_OF_HEAD
