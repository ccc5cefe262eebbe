# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a Debian package, or a bundle, of a cross build is made of.  The packages of the
# other machine lie in the folder $core_root, unpacked without a dpkg that knew of them;
# what each has of Debian's is its changelog, which begins with its source package and its
# version.  make_deb.sh and bundle_licences.sh set the variables, and define fail.
#
# Owns: how packages and their versions are found there.

# unpacked_source PACKAGE: the source package that it was built from, and its version.
# shellcheck disable=SC2154  # of who reads this file
unpacked_source()
{
   changelog=$core_root/usr/share/doc/$1/changelog.Debian.gz
   found=$(gzip -dc "$changelog" |
      sed -n '1s/^\([^ ]*\) (\([^ ()]*\)).*/\1 \2/p') || found=
   [ -n "$found" ] ||
      fail "the source of package $1 is not known: $changelog does not say it"
   echo "$found"
}

# unpacked_version PACKAGE: its version.  A package that was only built again has a
# changelog of its own, named after the architecture, beside the other.
# shellcheck disable=SC2154
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
