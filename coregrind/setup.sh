# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# From a clean clone to a finished build, for the commands `profile` and `check`: they
# source this file and call `setup NAME PACKAGE... [--wish PACKAGE...]...`.  Without a
# package behind --wish all goes on, only less can be done; where one cannot be installed,
# none behind the same --wish is.  Owns: which packages are installed and how, when
# `configure` runs again, and what a person sees of it.  Relies on apt-get where something
# is missing; without it, or without the right to use it, says so.
#
# All it says goes to stderr, one line per step; the output of the steps is in
# build/setup.log.  When nothing is to be done it is silent.

# shellcheck source=coregrind/other_packages.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/other_packages.sh"

setup_name=                     # the command that sets up, for messages
setup_source=                   # the source folder
setup_log=
setup_has_list=                 # of packages, fetched by this command

setup_say()
{
   printf '%s: %s\n' "$setup_name" "$1" >&2
}

setup_fail()
{
   setup_say "$1"
   exit 1
}

# A step failed: what it said last, and where all of it is.
setup_show_log()
{
   setup_say "$1; the last lines of $setup_log:"
   tail -n 20 -- "$setup_log" | sed 's/^/   /' >&2
   exit 1
}

# setup_step WHAT COMMAND...
setup_step()
{
   local what=$1
   shift
   setup_say "$what"
   printf '\n=== %s, %s: %s\n' "$(date '+%F %T')" "$what" "$*" >> "$setup_log"
   # Without the lock: a service that a package starts must not keep it.
   "$@" < /dev/null >> "$setup_log" 2>&1 9>&- || setup_show_log "failed: $what"
}

# ---------------------------------------------------------------------------
# Packages
# ---------------------------------------------------------------------------

# Whether a compiler finds a header, by its name.
setup_has_header()
{
   local compiler
   compiler=$(command -v gcc || command -v cc) || return 1
   echo "#include <$1>" | "$compiler" -E -
}

# Whether what a Debian package is needed for is there, whoever installed it.
setup_has()
{
   case $1 in
      gcc)
         command -v gcc || command -v cc ;;
      libc6-dev)
         setup_has_header stdlib.h ;;
      gcc-aarch64-linux-gnu)
         command -v aarch64-linux-gnu-gcc ;;
      g++-aarch64-linux-gnu)
         command -v aarch64-linux-gnu-g++ ;;
      qemu-user-static)
         command -v qemu-aarch64-static || command -v qemu-aarch64 ;;
      xz-utils)
         command -v xz ;;
      util-linux)
         command -v unshare ;;
      libdw-dev)
         setup_has_header elfutils/libdw.h ;;
      libiberty-dev)
         setup_has_header libiberty/demangle.h ;;
      valgrind)
         # Without pkg-config nobody knows; once that is there, configure looks closer.
         command -v valgrind &&
            { ! command -v pkg-config || pkg-config --exists valgrind; } ;;
      automake)
         command -v automake && command -v aclocal ;;
      chromium)
         command -v chromium || command -v chromium-browser ||
            command -v google-chrome ;;
      # Modules of one Python, that which runs the tests.
      python3-pytest)
         "$setup_source/tests/find_python" pytest ;;
      python3-pytest-xdist)
         "$setup_source/tests/find_python" pytest xdist ;;
      flake8|mypy)
         # Debian's own, which know Debian's Python packages.
         [ -x "/usr/bin/$1" ] ;;
      nodejs)
         command -v node ;;
      golang-go)
         command -v go ;;
      ocaml-nox)
         command -v ocamlopt ;;
      php-cli)
         command -v php ;;
      erlang-base)
         command -v erlc ;;
      guile-3.0)
         command -v guile ;;
      default-jdk-headless)
         command -v javac ;;
      python3-greenlet|python3-gevent)
         # For Debian's own Python.
         /usr/bin/python3 -c "import ${1#python3-}" ;;
      python3-protobuf)
         "$setup_source/tests/find_python" pytest xdist google.protobuf ;;
      python3-jsonschema)
         "$setup_source/tests/find_python" pytest xdist jsonschema ;;
      *)
         command -v "$1" ;;
   esac > /dev/null 2>&1
}

# There is no apt-get: what to install, in the words of this system.
setup_elsewhere()
{
   local command
   if [ "$(other_family)" = rhel ]; then
      setup_fail "this system's Valgrind has no static libraries to build with;\
 the bundle needs none (docs/bundle.md)"
   fi
   command=$(other_packages "$@")
   if [ -n "$command" ]; then
      setup_fail "these are missing: $*; ask for: $command"
   fi
   setup_fail "these are missing, please install them (there is no apt-get here): $*"
}

setup_install()
{
   local as_root=()
   if ! command -v apt-get > /dev/null; then
      setup_elsewhere "$@"
   fi
   if [ "$(id -u)" != 0 ]; then
      # sudo may ask for a password where there is a person to answer.
      if command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 2 ]; }; then
         as_root=(sudo)
      else
         setup_fail "no right to install packages; ask for: apt-get install $*"
      fi
   fi
   if [ -z "$setup_has_list" ]; then
      setup_step "fetching the list of packages" \
         "${as_root[@]}" apt-get update
      setup_has_list=yes
   fi
   setup_step "installing $*" \
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "$@"
}

# setup_packages PACKAGE... [--wish PACKAGE...]...
setup_packages()
{
   local package missing=() is_wish=
   for package in "$@" --wish; do
      if [ "$package" != --wish ]; then
         setup_has "$package" || missing+=("$package")
         continue
      fi
      if [ ${#missing[@]} -gt 0 ]; then
         setup_missing "$is_wish" "${missing[@]}"
      fi
      missing=()
      is_wish=yes
   done
}

# setup_missing IS_WISH PACKAGE...
setup_missing()
{
   local package is_wish=$1
   shift
   if [ -n "$is_wish" ]; then
      # A subshell: a failure ends no more than that.
      if (setup_install "$@"); then
         setup_has_list=yes
      else
         setup_say "going on without $*"
      fi
      hash -r
      return
   fi
   setup_install "$@"
   hash -r
   for package; do
      setup_has "$package" || setup_show_log "$package is still missing"
   done
}

# ---------------------------------------------------------------------------
# Configuring and building
# ---------------------------------------------------------------------------

# What a configured build folder depends on, but make cannot see: packages keep the dates
# of the day they were built, so a new Valgrind can be older than our objects.
setup_fingerprint()
{
   local library package
   pwd -P
   pkg-config --modversion valgrind
   # With these, configure finds that it can build callgrind_sample.
   for package in libdw-dev libiberty-dev; do
      if setup_has "$package"; then
         echo "$package"
      fi
   done
   for library in "$(pkg-config --variable=libdir valgrind)"/valgrind/lib*.a; do
      stat -c '%n %s %Y' -- "$library"
   done
}

setup_configure()
{
   local fingerprint options=''
   fingerprint=$(setup_fingerprint 2> /dev/null) || fingerprint=unknown
   if [ ! -x configure ]; then
      setup_step "generating configure" autoreconf -i
   fi
   if [ -f build/Makefile ] &&
      [ "$(cat build/setup.stamp 2> /dev/null)" = "$fingerprint" ]; then
      return
   fi
   # Someone may have configured this folder by hand: the options stay.
   if [ -x build/config.status ]; then
      options=$(build/config.status --config 2> /dev/null) || options=''
   fi
   # shellcheck disable=SC2016  # the inner shell expands them
   setup_step "configuring" \
      bash -c 'cd build && eval "../configure $1" && make clean' configure "$options"
   printf '%s\n' "$fingerprint" > build/setup.stamp
}

# How many sources make would compile now.
setup_to_compile()
{
   local name unchanged=()
   local -A before=()
   # Recipes of these two leave them as they are, if nothing has changed.  To `make -n`,
   # which runs no recipe, all sources would be older.
   for name in config.h compiler_flags; do
      before[$name]=$(cat "build/$name" 2> /dev/null) || true
   done
   make -s -C build config.h compiler_flags < /dev/null >> "$setup_log" 2>&1 9>&- ||
      return 0
   for name in config.h compiler_flags; do
      if [ "${before[$name]}" = "$(cat "build/$name")" ]; then
         unchanged+=(-o "$name")
      fi
   done
   make -n -C build "${unchanged[@]}" all-am < /dev/null 2>> "$setup_log" 9>&- |
      grep -c '^echo "  CC  ' || true
}

# setup_show_make NUMBER: of make's output, the lines that say what is being made; so many
# sources are to be compiled.
setup_show_make()
{
   local line name count=0 total=$1
   while IFS= read -r line; do
      name=${line##* }
      case $line in
         "  CC  "*.o)
            count=$((count + 1))
            # The object's name is that of the program, a dash, and that of the source.
            name=${name%.o}
            name=${name%/*}/${name##*/callgrind_*-}
            if [ "$count" -le "$total" ]; then
               setup_say "compiling $name.c ($count of $total)"
            else
               setup_say "compiling $name.c"
            fi ;;
         "  GEN  "*callgrind/callgrind-*)
            setup_say "linking ${name#callgrind/}" ;;
      esac
   done
}

setup_build()
{
   local jobs total
   jobs=$(nproc 2> /dev/null) || jobs=1
   total=$(setup_to_compile)
   if ! make -s -C build V=0 "-j$jobs" < /dev/null 2>&1 9>&- |
      tee -a -- "$setup_log" | setup_show_make "${total:-0}"
   then
      setup_show_log "the build failed"
   fi
}

# setup NAME PACKAGE... [--wish PACKAGE...]...: on return, build/vg-in-place runs.  The
# current folder stays.
setup()
{
   setup_name=$1
   shift
   setup_source=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
   setup_log=$setup_source/build/setup.log
   if [ "$(uname -s)" != Linux ]; then
      setup_fail "callgrind-exact runs on Linux; this is $(uname -s)"
   fi
   # Before anything is installed for a platform that configure would refuse.
   case $(uname -m) in
      x86_64|aarch64) ;;
      *) setup_fail "supported are amd64-linux and arm64-linux; this is $(uname -m)" ;;
   esac
   setup_run_locked "$@"
}

# setup_for NAME PACKAGE... [--wish PACKAGE...]...: installs what is missing, and builds
# nothing.
setup_for()
{
   setup_name=$1
   shift
   setup_source=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
   setup_log=$setup_source/build/setup.log
   setup_build_folder
   setup_packages "$@"
}

setup_build_folder()
{
   local build=$setup_source/build
   if ! { mkdir -p -- "$build" && [ -w "$build" ]; } 2> /dev/null; then
      setup_fail "cannot write to $build; build in a folder of yours:\
 mkdir out && cd out && $setup_source/configure && make"
   fi
}

# A subshell: what it changes (folder, the lock) is gone when it ends.
setup_run_locked()
(
   set -euo pipefail
   cd -- "$setup_source"
   # What a caller built stays usable for those who cannot write there.
   if [ -x build/vg-in-place ] && [ ! -w build ]; then
      exit 0
   fi
   setup_build_folder
   # Two first uses at the same time must not build into each other.
   exec 9> build/setup.lock
   if command -v flock > /dev/null && ! flock -n 9; then
      setup_say "waiting for another set-up in $setup_source/build"
      flock 9
   fi
   setup_packages "$@"
   setup_configure
   setup_build
)
