#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes an archive of a finished build that runs where no Valgrind is installed; `make
# bundle` calls it.
#
#    make_bundle.sh SOURCE_FOLDER VERSION OUTPUT_FOLDER
#
# In OUTPUT_FOLDER are then callgrind-exact-VERSION-linux-MACHINE.tar.xz, its SHA-256 sum
# beside it, and install.sh, which knows both.  The Makefile sets CORE_BINDIR,
# CORE_INCLUDEDIR, CORE_LIBDIR, CORE_LIBEXECDIR, CORE_PLATFORM and CORE_VERSION, of the
# installed Valgrind; CORE_ROOT, in a cross build; CC and STRIP; BUNDLE_URL, from where
# install.sh shall fetch.  launcher/bundle has the launcher, what reads large profiles
# and, if it can be built, the sampler, all static.
#
# Owns: what is in the bundle, and where; and that two builds of one source, with the same
# compiler and packages, are equal to the byte: names in order, no owner, no times of the
# clock.  Relies on `make install` in the current folder, that of the build, and on
# bundle_licences.sh.

set -eu

source=$1 version=$2 output=$3
scripts=$source/coregrind/bundle

fail()
{
   echo "make bundle: $1" >&2
   exit 1
}

for program in xz tar sha256sum readelf; do
   command -v $program > /dev/null ||
      fail "$program is not installed (Debian: apt-get install xz-utils binutils)"
done
case $CORE_PLATFORM in
   amd64-linux) machine=x86_64 ;;
   arm64-linux) machine=aarch64 ;;
   *) fail "no bundle is made for $CORE_PLATFORM" ;;
esac
name=callgrind-exact-$version-linux-$machine

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
LC_ALL=C
export LC_ALL
make -s install prefix=/bundle DESTDIR="$work" > "$work/install.log" 2>&1 ||
   { cat "$work/install.log" >&2; fail "make install failed"; }
mkdir "$work/tree"
mv "$work/bundle" "$work/tree/$name"
root=$work/tree/$name
tools=$root/libexec/valgrind
parts=$root/libexec/callgrind-exact
libc=$parts/libc
mkdir -p "$libc"

# ---------------------------------------------------------------------------
# What is the installed Valgrind's: files in place of links to them
# ---------------------------------------------------------------------------

find "$root" -type l -exec rm {} +

# of_valgrind FOLDER MODE FILE...: those that are there.
of_valgrind()
{
   folder=$1 mode=$2
   shift 2
   for file; do
      if [ -e "$file" ]; then
         install -m "$mode" "$file" "$folder/"
      fi
   done
}

of_valgrind "$tools" 755 "$CORE_LIBEXECDIR/none-$CORE_PLATFORM" \
   "$CORE_LIBEXECDIR/vgpreload_core-$CORE_PLATFORM.so"
# What gdb is told of the registers.
of_valgrind "$tools" 644 "$CORE_LIBEXECDIR/default.supp" \
   "$CORE_LIBEXECDIR/${CORE_PLATFORM%-*}"-*.xml "$CORE_LIBEXECDIR"/64bit-*.xml
of_valgrind "$root/include/valgrind" 644 "$CORE_INCLUDEDIR/valgrind.h"
of_valgrind "$libc" 755 "$CORE_BINDIR/vgdb"
of_valgrind "$parts" 644 "$CORE_BINDIR/callgrind_control" \
   "$CORE_BINDIR/callgrind_annotate"
for file in "$tools/none-$CORE_PLATFORM" "$tools/vgpreload_core-$CORE_PLATFORM.so" \
            "$root/include/valgrind/valgrind.h" "$libc/vgdb" \
            "$parts/callgrind_control" "$parts/callgrind_annotate"; do
   [ -f "$file" ] ||
      fail "the installed Valgrind $CORE_VERSION has no ${file##*/}"
done
"$STRIP" "$tools/none-$CORE_PLATFORM"

# Debian's callgrind_control knows a launcher by the name valgrind.bin alone, and none in
# a folder with a space.
# shellcheck disable=SC2016  # of Perl
sed -i -e 's/for \\S\*?valgrind\(\\.bin\)*\\s+/for .*?valgrind(?:\\.bin)?\\s+/' \
   -e '1a # Changed for the bundle of callgrind-exact: which launchers it knows.' \
   "$parts/callgrind_control"

# ---------------------------------------------------------------------------
# Programs that need nothing of the system that they run on
# ---------------------------------------------------------------------------

# vgdb is an ordinary program, newer than the C library of many systems: it has its own.
for library in $(readelf -d "$libc/vgdb" |
                    sed -n '/(NEEDED)/s/.*\[\(.*\)\].*/\1/p'); do
   case $library in
      ld-linux*) ;;
      *) file=$($CC -print-file-name="$library")
         [ -f "$file" ] || fail "$library, which vgdb needs, was not found"
         install -m 755 "$file" "$libc/$library" ;;
   esac
done
loader=$(readelf -l "$libc/vgdb" | sed -n 's/.*program interpreter: \(.*\)\].*/\1/p')
file=$($CC -print-file-name="${loader##*/}")
[ -f "$file" ] || fail "$loader, which vgdb needs, was not found"
install -m 755 "$file" "$libc/ld.so"

install -m 755 launcher/bundle/valgrind "$root/bin/valgrind"
"$STRIP" "$root/bin/valgrind"
ln -s valgrind "$root/bin/callgrind-exact"
install -m 755 launcher/bundle/read_profile "$parts/read_profile"
"$STRIP" "$parts/read_profile"
if [ -f launcher/bundle/callgrind_sample ]; then
   install -m 755 launcher/bundle/callgrind_sample "$root/bin/callgrind_sample"
   "$STRIP" "$root/bin/callgrind_sample"
else
   rm -f "$root/share/man/man1/callgrind_sample.1"
   # Nothing of the libraries that configure has found for it is in the bundle.
   export SAMPLER_STATIC_LIBS=
   echo "make bundle: callgrind_sample is not in it: this build has none" >&2
fi
for command in callgrind_report callgrind_export callgrind_gate; do
   sh "$source/coregrind/make_report_command.sh" "$command" \
      ../share/callgrind-exact/report share/callgrind-exact/report \
      ../libexec/callgrind-exact/read_profile libexec/callgrind-exact/read_profile \
      CALLGRIND_EXACT_HOME > "$root/bin/$command"
done
sh "$scripts/make_command.sh" vgdb vgdb > "$root/bin/vgdb"
for command in callgrind_control callgrind_annotate; do
   case $(head -n 1 "$parts/$command") in
      *perl*)   interpreter=perl ;;
      *python*) interpreter=python3 ;;
      *) fail "$CORE_BINDIR/$command is for an unknown interpreter" ;;
   esac
   sh "$scripts/make_command.sh" "$command" "$interpreter" > "$root/bin/$command"
done
chmod 755 "$root"/bin/*

# ---------------------------------------------------------------------------
# What it says of itself
# ---------------------------------------------------------------------------

install -m 644 "$source/docs/bundle.md" "$root/README.md"
install -m 644 "$source/NEWS.md" "$root/NEWS.md"
sh "$scripts/bundle_licences.sh" "$source" "$version" "$root"
echo "callgrind-exact $version, $machine, Valgrind $CORE_VERSION" \
   > "$root/share/callgrind-exact/bundle"

# The day of the release: set, or that of the last commit, or of what the release says.
epoch=${SOURCE_DATE_EPOCH:-}
if [ -z "$epoch" ] && [ -e "$source/.git" ]; then
   epoch=$(git -C "$source" log -1 --format=%ct 2> /dev/null) || epoch=
fi
[ -n "$epoch" ] || epoch=$(stat -c %Y "$source/NEWS.md")

archive=$output/$name.tar.xz
tar -C "$work/tree" --format=ustar --sort=name --mtime="@$epoch" --owner=0 --group=0 \
   --numeric-owner --mode=u+rw,go+rX,go-w -cf "$work/$name.tar" "$name"
xz -7e -T1 --check=crc64 -c "$work/$name.tar" > "$archive.new"
mv -f "$archive.new" "$archive"
sum=$(sha256sum < "$archive" | cut -d ' ' -f 1)
echo "$sum  $name.tar.xz" > "$archive.sha256"
sed -e "s|^default_version=.*|default_version='$version'|" \
    -e "s|^default_from=.*|default_from='${BUNDLE_URL:-}'|" \
    -e "s|^sum_$machine=.*|sum_$machine='$sum'|" \
   "$source/install.sh" > "$output/install.sh.new"
chmod 755 "$output/install.sh.new"
mv -f "$output/install.sh.new" "$output/install.sh"
echo "made $archive ($(wc -c < "$archive") bytes), with Valgrind $CORE_VERSION"
