#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a Debian package of a finished build; `make deb` calls it.
#
#    make_deb.sh SOURCE_FOLDER VERSION VALGRIND_PACKAGE_FILE ARCHITECTURE OUTPUT_FOLDER
#
# VALGRIND_PACKAGE_FILE is a file of the installed Valgrind, by which its package is
# found.  The Makefile sets CORE_INCLUDEDIR, where the core's headers are, STRIP, and in a
# cross build CORE_ROOT, a folder that holds the packages of the other machine.  They may
# be unpacked only, so that no dpkg knows them: deb_unpacked.sh asks their files.
# Everything is installed below /usr/lib/callgrind-exact, as a prefix of its own that is
# complete: its bin/ first in PATH is another `valgrind`.  The commands that are no other
# package's have links in /usr/bin.
#
# Owns: what the package says of itself.  Relies on dpkg-deb and, in a build for this
# machine, dpkg-query and dpkg-shlibdeps; and on `make install` in the current folder,
# that of the build.

set -eu

source=$1 version=$2 of_valgrind=$3 architecture=$4 output=$5
core_root=${CORE_ROOT:-}
home=usr/lib/callgrind-exact
maintainer=${DEBFULLNAME:-callgrind-exact maintainers}
maintainer="$maintainer <${DEBEMAIL:-callgrind-exact@users.noreply.invalid}>"

fail()
{
   echo "make deb: $1" >&2
   exit 1
}

for program in dpkg-deb dpkg-shlibdeps dpkg-query gzip; do
   command -v $program > /dev/null ||
      fail "$program is not installed (Debian: apt-get install dpkg-dev)"
done
if [ -n "$core_root" ]; then
   # shellcheck source=coregrind/deb_unpacked.sh
   . "$source/coregrind/deb_unpacked.sh"
   core=valgrind
   core_version=$(unpacked_version "$core")
else
   core=$(dpkg-query -S "$of_valgrind" 2> /dev/null | cut -d : -f 1)
   [ -n "$core" ] ||
      fail "$of_valgrind belongs to no package: the package depends on the Valgrind it is
   built for, which has to be installed as one"
   # shellcheck disable=SC2016  # a format of dpkg-query
   core_version=$(dpkg-query -W -f '${Version}' "$core")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"
umask 022
make -s install prefix="/$home" DESTDIR="$root" > "$work/install.log" 2>&1 ||
   { cat "$work/install.log" >&2; fail "make install failed"; }

# ---------------------------------------------------------------------------
# Commands, pages, and what belongs to them
# ---------------------------------------------------------------------------

mkdir -p "$root/usr/bin" "$root/usr/share/man"
ln -s ../lib/callgrind-exact/bin/valgrind "$root/usr/bin/callgrind-exact"
for name in callgrind_report callgrind_export callgrind_gate callgrind_sample; do
   if [ -e "$root/$home/bin/$name" ]; then
      ln -s "../lib/callgrind-exact/bin/$name" "$root/usr/bin/$name"
   fi
done
mv "$root/$home/share/man/man1" "$root/usr/share/man/"
rmdir "$root/$home/share/man"
# Where Debian's shells look; those of a prefix of its own they do not know.
mv "$root/$home/share/bash-completion" "$root/usr/share/"
mkdir -p "$root/usr/share/zsh"
mv "$root/$home/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
rmdir "$root/$home/share/zsh"
[ -e "$root/usr/bin/callgrind_sample" ] ||
   rm -f "$root/usr/share/man/man1/callgrind_sample.1" \
      "$root/usr/share/bash-completion/completions/callgrind_sample" \
      "$root/usr/share/zsh/vendor-completions/_callgrind_sample"
gzip -9n "$root"/usr/share/man/man1/*.1
for program in bin/valgrind bin/callgrind_sample libexec/callgrind-exact/read_profile; do
   if [ -f "$root/$home/$program" ]; then
      "${STRIP:-strip}" --remove-section=.comment --remove-section=.note \
         "$root/$home/$program"
   fi
done

# Links within /usr are relative in a Debian package.
find "$root/usr" -type l | while read -r link; do
   target=$(readlink "$link")
   case $target in
      /usr/*)
         folder=${link%/*}
         folder=${folder#"$root"}
         ln -sfn "$(realpath -ms --relative-to="$folder" "$target")" "$link" ;;
   esac
done

# ---------------------------------------------------------------------------
# What the package says of itself
# ---------------------------------------------------------------------------

documents=$root/usr/share/doc/callgrind-exact
mkdir -p "$documents" "$root/usr/share/lintian/overrides" "$root/DEBIAN"
gzip -9nc "$source/NEWS.md" > "$documents/NEWS.md.gz"
cp "$source/README.md" "$documents/"
"${SHELL:-/bin/sh}" "$source/coregrind/deb_copyright.sh" "$source" \
   "$CORE_INCLUDEDIR" > "$documents/copyright"

# Of the release, or of what the release was made of.
date=$(date -R -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$source/NEWS.md")}")
gzip -9n > "$documents/changelog.gz" <<CHANGES
callgrind-exact ($version) unstable; urgency=medium

  * Release $version, for valgrind $core_version.

 -- $maintainer  $date
CHANGES

# As in Debian's own package of Valgrind: a tool is a static program that is loaded at a
# fixed address.
cat > "$root/usr/share/lintian/overrides/callgrind-exact" <<OVERRIDES
callgrind-exact: statically-linked-binary [$home/libexec/valgrind/*]
callgrind-exact: hardening-no-pie [$home/libexec/valgrind/*]
callgrind-exact: hardening-no-relro [$home/libexec/valgrind/*]
# No bug of a distribution asked for it.
callgrind-exact: initial-upload-closes-no-bugs
OVERRIDES

libraries=
if [ -f "$root/$home/bin/callgrind_sample" ] && [ -n "$core_root" ]; then
   libraries=$(unpacked_libraries "$root/$home/bin/callgrind_sample")
elif [ -f "$root/$home/bin/callgrind_sample" ]; then
   mkdir -p "$work/debian"
   printf 'Source: callgrind-exact\n\nPackage: callgrind-exact\nArchitecture: any\n' \
      > "$work/debian/control"
   libraries=$(cd "$work" && dpkg-shlibdeps -O "root/$home/bin/callgrind_sample" |
      sed -n 's/^shlibs:Depends=/, /p')
fi

cat > "$root/DEBIAN/control" <<CONTROL
Package: callgrind-exact
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $core (= $core_version), python3:any$libraries
Suggests: kcachegrind
Section: devel
Priority: optional
Description: exact and faster callgrind for Valgrind
 A drop-in replacement of Valgrind's callgrind, for people who profile
 benchmarks in continuous integration. It counts every instruction that a
 program executes, by function, source line and call, and it follows tail
 calls, exceptions, signals and coroutines.
 .
 The command callgrind-exact is a valgrind command whose --tool=callgrind is
 this one. Valgrind itself is not changed. To have it in place of valgrind,
 put /usr/lib/callgrind-exact/bin first in PATH.
CONTROL
# What Python has left beside its files, where root has run the readers.
cat > "$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
find /usr/lib/callgrind-exact/share -name __pycache__ -prune -exec rm -rf {} +
PRERM
chmod 755 "$root/DEBIAN/prerm"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) \
   > "$root/DEBIAN/md5sums"
find "$root" -newermt "$date" ! -type l -exec touch -h -d "$date" {} +

package=$output/callgrind-exact_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" > /dev/null
echo "made $package, for $core $core_version"
