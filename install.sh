#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the bundle of callgrind-exact, which needs no Valgrind, for one user or for
# all.  `make bundle` writes a copy of this that knows the bundle's version, its SHA-256
# sum and, with BUNDLE_URL, where it is; so one line installs it:
#
#    curl -fsSL https://example.org/install.sh | sh
#
# Owns: what lies in PREFIX/lib/callgrind-exact, and the links to its commands in
# PREFIX/bin.  It replaces nothing else, and asks nobody for rights.  Relies on curl or
# wget, tar, and xz or python3.

set -eu

default_version=
default_from=
# shellcheck disable=SC2034  # asked for by the machine's name
sum_x86_64=
# shellcheck disable=SC2034
sum_aarch64=
commands='callgrind_report callgrind_export callgrind_gate callgrind_sample'

usage()
{
   cat <<'END'
usage: install.sh [--from=URL|FOLDER] [--version=VERSION] [--sha256=SUM] [--prefix=PREFIX]
       install.sh --uninstall [--prefix=PREFIX]

Fetches callgrind-exact-VERSION-linux-MACHINE.tar.xz, compares its SHA-256 sum, and
unpacks it into PREFIX/lib/callgrind-exact; the commands callgrind-exact (a valgrind
command), callgrind_report, callgrind_export, callgrind_gate and callgrind_sample are
links in PREFIX/bin.  PREFIX is /usr/local for root, and ~/.local for others.

   --from       the folder, or its URL, in which the file is
   --version    which version
   --sha256     the sum that it must have; without, the one that this script knows, or the
                file's own, MACHINE.tar.xz.sha256 beside it, which must be there
   --uninstall  remove what was installed there
END
}

say()
{
   echo "install.sh: $1"
}

fail()
{
   echo "install.sh: $1" >&2
   exit 1
}

has()
{
   command -v "$1" > /dev/null 2>&1
}

# fetch NAME FILE: from $from, a URL or a folder.
fetch()
{
   case $from in
      *://*)
         if has curl; then
            curl -fsSL -o "$2" "$from/$1"
         elif has wget; then
            wget -q -O "$2" "$from/$1"
         else
            fail "needs curl or wget; install one, or name a folder with --from"
         fi ;;
      *) cp -- "$from/$1" "$2" ;;
   esac || fail "cannot fetch $from/$1"
}

sum_of()
{
   if has sha256sum; then
      sha256sum < "$1" | cut -d ' ' -f 1
   elif has shasum; then
      shasum -a 256 < "$1" | cut -d ' ' -f 1
   elif has openssl; then
      openssl dgst -sha256 -r < "$1" | cut -d ' ' -f 1
   else
      fail "needs sha256sum, shasum or openssl to compare the sum"
   fi
}

unpack()
{
   if has xz; then
      xz -dc < "$1" > "$2"
   elif has python3; then
      python3 -c 'import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], "wb"))' "$1" "$2"
   elif has busybox; then
      busybox unxz -c < "$1" > "$2"
   else
      fail "needs xz to unpack the bundle (Debian, Ubuntu: apt-get install xz-utils)"
   fi
}

# Whether the link $1 leads into the bundle that is installed.
is_our_link()
{
   [ -L "$1" ] || return 1
   case $(readlink -- "$1") in
      ../lib/callgrind-exact/bin/*) return 0 ;;
      *) return 1 ;;
   esac
}

is_ours()
{
   [ -f "$home/share/callgrind-exact/bundle" ] && [ -d "$home/libexec/valgrind" ]
}

uninstall()
{
   is_ours || fail "nothing of callgrind-exact is installed in $prefix"
   for name in callgrind-exact $commands; do
      if is_our_link "$prefix/bin/$name"; then
         rm -f -- "$prefix/bin/$name"
      fi
   done
   what=$(cat -- "$home/share/callgrind-exact/bundle")
   rm -rf -- "$home"
   say "removed $what: $home, and its links in $prefix/bin"
   exit 0
}

# The sum that the bundle must have.
wanted_sum()
{
   if [ -n "$sum" ]; then
      echo "$sum"
      return
   fi
   if [ "$version" = "$default_version" ]; then
      eval "known=\$sum_$machine"
      if [ -n "$known" ]; then
         echo "$known"
         return
      fi
   fi
   fetch "$file.sha256" "$work/sum"
   cut -d ' ' -f 1 < "$work/sum"
}

# Links for the commands of a bundle.  What has a name already, and is no link of ours, is
# left alone.
link_commands()
{
   mkdir -p -- "$prefix/bin"
   for name in callgrind-exact $commands; do
      [ -e "$home/bin/$name" ] || continue
      if [ -e "$prefix/bin/$name" ] || [ -L "$prefix/bin/$name" ]; then
         if ! is_our_link "$prefix/bin/$name"; then
            say "$prefix/bin/$name is not ours; left as it is"
            continue
         fi
         rm -f -- "$prefix/bin/$name"
      fi
      ln -s -- "../lib/callgrind-exact/bin/$name" "$prefix/bin/$name"
   done
}

remove_work()
{
   if [ ! -e "$home" ] && [ -e "$home.old.$$" ]; then
      mv -- "$home.old.$$" "$home"
   fi
   rm -rf -- "$work" "$home.new.$$" "$home.old.$$"
}

install_bundle()
{
   [ -n "$version" ] || fail "which version? say --version=VERSION"
   [ -n "$from" ] || fail "from where? say --from=URL or --from=FOLDER"
   if [ -e "$home" ] && ! is_ours; then
      fail "$home is not a bundle of callgrind-exact; choose another --prefix"
   fi
   if ! { mkdir -p -- "$prefix/lib" && [ -w "$prefix/lib" ]; } 2> /dev/null; then
      fail "cannot write to $prefix/lib; choose a folder of yours with --prefix"
   fi
   work=$(mktemp -d)
   trap remove_work EXIT
   trap 'exit 1' HUP INT TERM
   file=callgrind-exact-$version-linux-$machine.tar.xz
   fetch "$file" "$work/bundle.tar.xz"
   wanted=$(wanted_sum)
   found=$(sum_of "$work/bundle.tar.xz")
   [ "$found" = "$wanted" ] ||
      fail "$file is not what it should be: its SHA-256 sum is $found, not $wanted"
   unpack "$work/bundle.tar.xz" "$work/bundle.tar"
   mkdir -- "$home.new.$$"
   tar -C "$home.new.$$" -xof "$work/bundle.tar"
   new=$home.new.$$/${file%.tar.xz}
   "$new/bin/valgrind" --version > /dev/null || fail "$file does not run on this machine"
   if [ -e "$home" ]; then
      mv -- "$home" "$home.old.$$"
   fi
   mv -- "$new" "$home"
   link_commands
   say "installed $(cat -- "$home/share/callgrind-exact/bundle") (SHA-256 $found)"
   say "  in $home, with links in $prefix/bin"
   case :$PATH: in
      *:"$prefix/bin":*) ;;
      *) say "  $prefix/bin is not in PATH yet: export PATH=\"$prefix/bin:\$PATH\"" ;;
   esac
   say "  to have it as \`valgrind\`: export PATH=\"$home/bin:\$PATH\""
   say "  try: callgrind-exact --tool=callgrind ls; remove: install.sh --uninstall"
}

# All in a function, so that half a script does nothing.
main()
{
   from=${CALLGRIND_EXACT_FROM:-$default_from}
   version=$default_version
   sum='' prefix='' remove=
   for word; do
      case $word in
         --from=*)    from=${word#*=} ;;
         --version=*) version=${word#*=} ;;
         --sha256=*)  sum=${word#*=} ;;
         --prefix=*)  prefix=${word#*=} ;;
         --uninstall) remove=yes ;;
         -h|--help)   usage; exit 0 ;;
         *) fail "unknown word '$word'; --help shows what is known" ;;
      esac
   done
   if [ -z "$prefix" ]; then
      if [ "$(id -u)" = 0 ]; then
         prefix=/usr/local
      else
         [ -n "${HOME:-}" ] || fail "HOME is not set; say --prefix=FOLDER"
         prefix=$HOME/.local
      fi
   fi
   case $prefix in
      /*) ;;
      *) prefix=$PWD/$prefix ;;
   esac
   from=${from%/} prefix=${prefix%/}
   home=$prefix/lib/callgrind-exact
   [ -z "$remove" ] || uninstall
   [ "$(uname -s)" = Linux ] || fail "callgrind-exact runs on Linux; this is $(uname -s)"
   case $(uname -m) in
      x86_64|amd64)  machine=x86_64 ;;
      aarch64|arm64) machine=aarch64 ;;
      *) fail "there are bundles for x86_64 and aarch64; this is $(uname -m)" ;;
   esac
   install_bundle
}

main "$@"
