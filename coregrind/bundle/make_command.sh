#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes a command of the bundle to stdout that runs another program of it, found from the
# command's own file, or where CALLGRIND_EXACT_HOME says.
#
#    make_command.sh NAME vgdb           the installed vgdb, with the C library that it
#                                        was built with
#    make_command.sh NAME INTERPRETER    the script NAME, by perl or python3
#
# Scripts lie in libexec/callgrind-exact, and vgdb in libc/ there.  Scripts find vgdb by
# PATH: they start it by a shell, which would take a folder's name apart at a space.

set -eu

name=$1 kind=$2
case $kind in
   vgdb) file=libc/vgdb ;;
   *)    file=$name ;;
esac

cat <<END
#!/bin/sh
# Of Valgrind; written by coregrind/bundle/make_command.sh of callgrind-exact.

self=\$0
if [ -L "\$self" ]; then
   self=\$(readlink -f -- "\$self")
fi
case \$self in
   */*) bin=\${self%/*} ;;
   *)   bin=. ;;
esac
if [ -n "\${CALLGRIND_EXACT_HOME:-}" ]; then
   bin=\$CALLGRIND_EXACT_HOME/bin
fi
parts=\$bin/../libexec/callgrind-exact
if [ ! -f "\$parts/$file" ]; then
   echo "$name: \$parts/$file is missing; keep the bundle together," \\
      "or name its folder in CALLGRIND_EXACT_HOME" >&2
   exit 2
fi
END
if [ "$kind" = vgdb ]; then
   cat <<'END'
libc=$parts/libc
exec "$libc/ld.so" --inhibit-cache --library-path "$libc" "$libc/vgdb" "$@"
END
   exit
fi
case $kind in
   perl) options=' -w' ;;
   *)    options= ;;
esac
cat <<END
if ! command -v $kind > /dev/null; then
   echo "$name: needs $kind, which is not in PATH; install it" >&2
   exit 2
fi
PATH=\$bin:\$PATH
export PATH
exec $kind$options -- "\$parts/$name" "\$@"
END
