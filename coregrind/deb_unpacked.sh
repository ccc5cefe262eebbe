# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a Debian package of a cross build depends on.  The packages of the other machine
# lie in the folder $core_root, unpacked without a dpkg that knew of them; what each has
# of Debian's is its changelog, which begins with its version.  make_deb.sh has set the
# variables, and defines fail.
#
# Owns: how packages and their versions are found there.

# unpacked_version PACKAGE: its version.  A package that was only built again has a
# changelog of its own, named after the architecture, beside the other.
# shellcheck disable=SC2154  # of make_deb.sh
unpacked_version()
{
   found=
   for changelog in "changelog.Debian.$architecture.gz" changelog.Debian.gz; do
      changelog=$core_root/usr/share/doc/$1/$changelog
      if [ -z "$found" ] && [ -r "$changelog" ]; then
         found=$(gzip -dc "$changelog" | sed -n '1s/^[^ ]* (\([^ ()]*\)).*/\1/p')
      fi
   done
   [ -n "$found" ] ||
      fail "the version of package $1 is not known: $changelog does not say it"
   echo "$found"
}

# unpacked_libraries PROGRAM: its shared libraries' packages, each as
# ", NAME (>= VERSION)": no older than the release that it is linked to, whatever Debian's
# revision of that.  A library's package is named after the library; the loader is in that
# of the C library.
unpacked_libraries()
{
   names=$(LC_ALL=C readelf -d "$1" |
      sed -n '/(NEEDED)/s/.*\[\(lib[^]]*\)\.so\.\([^]]*\)\].*/\1\2/p' | sort -u)
   for name in $names; do
      # Since times have 64 bits, some names end so.
      if [ -e "$core_root/usr/share/doc/${name}t64" ]; then
         name=${name}t64
      fi
      library_version=$(unpacked_version "$name") || exit 1
      printf ', %s (>= %s)' "$name" "${library_version%-*}"
   done
}
