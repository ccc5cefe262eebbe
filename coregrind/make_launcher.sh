#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes a launcher to stdout: a `valgrind` command that runs the installed Valgrind with
# a tool folder of ours, found beside the launcher.
#
#    make_launcher.sh VALGRIND BESIDE OTHERWISE
#
# VALGRIND is the installed launcher, BESIDE the tool folder as seen from the new
# launcher's folder (so that an installation can be moved as a whole), OTHERWISE its
# absolute path, for an installation whose parts were moved apart.
#
# Owns: how a tool folder is handed to the core, namely in VALGRIND_LIB.  The core passes
# that variable on to every program it traces, so children stay in our tool as well.

set -eu

# One shell word, whatever its characters.
quoted()
{
   printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

valgrind=$(quoted "$1")
beside=$(quoted "$2")
otherwise=$(quoted "$3")

cat <<END
#!/bin/sh
# The installed Valgrind, with the tools of callgrind-exact: its --tool=callgrind is this
# project's, all else is the distribution's.  Written by coregrind/make_launcher.sh.

# The names are long because the program inherits every variable but these.
callgrind_exact_self=\$0
if [ -L "\$callgrind_exact_self" ]; then
   callgrind_exact_self=\$(readlink -f -- "\$callgrind_exact_self")
fi
case \$callgrind_exact_self in
   */*) callgrind_exact_lib=\${callgrind_exact_self%/*}/$beside ;;
   *)   callgrind_exact_lib=./$beside ;;
esac

# Absolute, because a traced program may change its folder before it runs another one.
if VALGRIND_LIB=\$(CDPATH='' cd -P -- "\$callgrind_exact_lib" 2>/dev/null && pwd -P); then
   :
else
   VALGRIND_LIB=$otherwise
fi

# The core names a library in this folder in LD_PRELOAD, where a space or a colon ends a
# name.  A link without them leads to such a folder.
case \$VALGRIND_LIB in
   *[\ :]*)
      callgrind_exact_self=\${XDG_CACHE_HOME:-\${HOME:-/nonexistent}/.cache}
      callgrind_exact_self=\$callgrind_exact_self/callgrind-exact
      callgrind_exact_lib=\$callgrind_exact_self/\$(printf '%s' "\$VALGRIND_LIB" |
         cksum | tr ' ' -)
      if [ "\$(readlink -- "\$callgrind_exact_lib")" = "\$VALGRIND_LIB" ] ||
         { mkdir -p -- "\$callgrind_exact_self" &&
           ln -sfn -- "\$VALGRIND_LIB" "\$callgrind_exact_lib"; } 2>/dev/null; then
         VALGRIND_LIB=\$callgrind_exact_lib
      fi
      ;;
esac
unset callgrind_exact_self callgrind_exact_lib
export VALGRIND_LIB
exec $valgrind "\$@"
END
