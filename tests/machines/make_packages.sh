#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make_packages.sh package|tarball: in a built copy of the source tree, makes the Debian
# package, build/callgrind-exact_*.deb, and asks lintian; or makes it from the tarball of
# `make dist`, and compares with that of the tree.

set -eu

here=$PWD
made()
{
   rm -f build/callgrind-exact_*.deb
   make -s -C build deb
}

# Every file's name, mode and contents.
described()
{
   dpkg-deb -c "$1" | awk '{ print $1, $6, $7, $8 }'
   dpkg-deb --ctrl-tarfile "$1" | tar -xO ./md5sums |
      grep -v copyright
}

if [ "$1" = package ]; then
   made
   lintian --allow-root --fail-on error,warning build/callgrind-exact_*.deb
   exit
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
made
make -s -C build dist > /dev/null
tar -xf build/callgrind-exact-*.tar.gz -C "$folder"
rm -f build/callgrind-exact-*.tar.gz
cd "$folder"/callgrind-exact-*
mkdir build
cd build
../configure > /dev/null
make -s "-j$(nproc)" deb > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

described "$here"/build/callgrind-exact_*.deb > "$folder/one"
described callgrind-exact_*.deb > "$folder/other"
diff "$folder/one" "$folder/other"
