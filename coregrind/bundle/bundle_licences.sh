#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes into a bundle under which licences it is given on, and where the sources are.
#
#    bundle_licences.sh SOURCE_FOLDER VERSION BUNDLE
#
# The environment is that of make_bundle.sh.  SAMPLER_STATIC_LIBS has the libraries, as -l
# options, that are linked into the sampler.
#
# Owns: the list of all that others wrote in the bundle.  Relies on Debian's packages:
# each has a file that says who wrote it and under which licence, and a version by which
# its source is found.

set -eu

source=$1 version=$2 bundle=$3
core_root=${CORE_ROOT:-}
licences=$bundle/licences
. "$source/coregrind/core_licence.sh"
gpl=$(core_gpl_version "$CORE_INCLUDEDIR")

fail()
{
   echo "make bundle: $1" >&2
   exit 1
}

command -v dpkg-query > /dev/null ||
   fail "a bundle is made on Debian or Ubuntu: their packages say which licences the
   libraries have that are linked into it, and where the sources are"

# Sets `documents`, `package_version` and `package_source` for a package, in a cross build
# for one that is unpacked only.
look_up()
{
   documents=$core_root/usr/share/doc/$1
   if [ -n "$core_root" ] && [ -d "$documents" ]; then
      # shellcheck source=coregrind/deb_unpacked.sh
      . "$source/coregrind/deb_unpacked.sh"
      told=$(unpacked_source "$1")
   else
      documents=/usr/share/doc/$1
      # shellcheck disable=SC2016  # formats of dpkg-query
      told=$(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$1" 2> /dev/null |
         head -n 1)
   fi
   package_source=${told% *} package_version=${told#* }
   if [ -z "$package_version" ] || [ ! -f "$documents/copyright" ]; then
      fail "Debian's package $1 is not installed, or has no $documents/copyright"
   fi
}

# part PACKAGE WHAT: a line about it in SOURCES, and its file about its licences.
part()
{
   look_up "$1"
   add_part "$2"
}

# add_part WHAT: of what look_up has found.
add_part()
{
   install -m 644 "$documents/copyright" "$licences/$package_source"
   printf '   %-33s %-28s %s\n' "$1" "$package_source $package_version" \
      "licences/$package_source" >> "$bundle/SOURCES"
}

# part_of_cross_compiler PACKAGE SOURCE WHAT: likewise, of a package that Debian builds
# from several source packages, of which it names each with its version.
part_of_cross_compiler()
{
   look_up "$1"
   package_source=$2
   # shellcheck disable=SC2016  # a format of dpkg-query
   package_version=$(dpkg-query -W -f '${Built-Using}\n' "$1" |
      sed -n "s/\(.*, \)\{0,1\}$2 (= \([^)]*\)).*/\2/p")
   [ -n "$package_version" ] || fail "Debian's package $1 does not name its source $2"
   add_part "$3"
}

# The package that a library to be linked statically is in.
package_of()
{
   case $1 in
      -ldw)      echo libdw-dev ;;
      -lelf)     echo libelf-dev ;;
      -lz)       echo zlib1g-dev ;;
      -llzma)    echo liblzma-dev ;;
      -lbz2)     echo libbz2-dev ;;
      -lzstd)    echo libzstd-dev ;;
      -liberty)  echo libiberty-dev ;;
      -l*)       fail "the sampler is linked to ${1#-l}; its licence is not known" ;;
   esac
}

mkdir -p "$licences"
for text in GPL-3 LGPL-2.1; do
   install -m 644 "$source/coregrind/bundle/licences/$text" "$licences/$text"
done
install -m 644 "$source/LICENSE" "$licences/GPL-2"

revision=
if [ -e "$source/.git" ]; then
   revision=$(git -C "$source" rev-parse --short=12 HEAD 2> /dev/null) || revision=
fi
cat > "$bundle/SOURCES" <<END
What is in this bundle, its licences, and its sources

callgrind-exact $version${revision:+, revision $revision}

Its tool, launcher, commands and readers are free software under the GNU General Public
License, version 2 or later.  Built into one with what is listed below, you may give them
on under

   libexec/valgrind/*, bin/vgdb, bin/callgrind_annotate, bin/callgrind_control
                              the GPL, version $gpl or later
   bin/callgrind_sample       the GPL, version 3 or later
   bin/valgrind, the readers  the GPL, version 2 or later
   include/valgrind/*         a BSD-style licence, which stands in each file

The texts are licences/GPL-2, licences/GPL-3 and licences/LGPL-2.1.  There is no warranty.

What others wrote, by the Debian source package that it was taken from, and the file that
says who wrote it and under which licence:

END
part valgrind "Valgrind's core and tools"
if [ -n "$core_root" ]; then
   part_of_cross_compiler "libc6-dev-${CORE_PLATFORM%-*}-cross" glibc "the C library"
else
   part libc6-dev "the C library"
fi
if [ -f "$bundle/bin/callgrind_sample" ]; then
   seen=' '
   for library in ${SAMPLER_STATIC_LIBS:-}; do
      package=$(package_of "$library")
      case $seen in *" $package "*) package= ;; esac
      if [ -n "$package" ]; then
         seen="$seen$package "
         part "$package" "in callgrind_sample: lib${library#-l}"
      fi
   done
fi
cat >> "$bundle/SOURCES" <<'END'

The source of each is had by `apt-get source PACKAGE=VERSION`, or from snapshot.debian.org
under the names above; that of callgrind-exact stands where the bundle was given to you:
callgrind-exact-VERSION.tar.gz of the same version, or the revision that is named above.
`make -C build bundle` made the bundle of them.

Whoever gives you this bundle owes you these sources.  If you have it from the maintainers
of callgrind-exact, they will give any third party, for at least three years from then and
for no more than the cost of the copy, all sources that belong to it: ask them where you
got it.  Give this file on with the bundle.
END
