#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the command callgrind_report, callgrind_export or callgrind_gate to stdout: it
# has start.py run the Python file of that name, which is found beside the command.
#
#    make_report_command.sh NAME BESIDE OTHERWISE READER_BESIDE READER_OTHERWISE \
#       [HOME_VARIABLE]
#
# BESIDE is the folder of the Python files as seen from the command's folder (so that an
# installation can be moved as a whole), OTHERWISE its absolute path, for an installation
# whose parts were moved apart; READER_... are those of the program that reads large
# profiles, which may be missing.  A variable that names the home of all parts is asked
# first; OTHERWISE is then seen from that home, and not used without.

set -eu

# One shell word, whatever its characters.
quoted()
{
   printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

name=$1
beside=$(quoted "$2")
otherwise=$(quoted "$3")
reader_beside=$(quoted "$4")
reader_otherwise=$(quoted "$5")
home_variable=${6:-}

cat <<END
#!/bin/sh
# Works on callgrind profiles; $name --help explains.
# Written by coregrind/make_report_command.sh of callgrind-exact.

self=\$0
if [ -L "\$self" ]; then
   self=\$(readlink -f -- "\$self")
fi
case \$self in
   */*) home=\${self%/*} ;;
   *)   home=. ;;
esac
folder=\$home/$beside
reader=\$home/$reader_beside
END
if [ -n "$home_variable" ]; then
   cat <<END
if [ -n "\${$home_variable:-}" ]; then
   home=\$$home_variable/bin
   folder=\$$home_variable/$otherwise
   reader=\$$home_variable/$reader_otherwise
fi
if [ ! -f "\$folder/start.py" ]; then
   echo "$name: \$folder/start.py is missing; keep the bundle together," \\
      "or name its folder in $home_variable" >&2
   exit 2
fi
END
else
   cat <<END
if [ ! -f "\$folder/start.py" ]; then
   folder=$otherwise
fi
if [ ! -f "\$reader" ]; then
   reader=$reader_otherwise
fi
END
fi
cat <<END
if ! command -v python3 > /dev/null; then
   echo "$name: needs python3, which is not in PATH; install it" >&2
   exit 2
fi
END
if [ "$name" = callgrind_gate ]; then
   # Where the valgrind is that it runs.
   cat <<'END'
CALLGRIND_BESIDE=$home
export CALLGRIND_BESIDE
END
fi
cat <<END
# Nothing around it may keep Python from starting, which ends with 1, as a limit that is
# exceeded does: no variables but this one, no packages of the user's, no folder as
# standard input.
if [ -d /dev/stdin ]; then
   exec < /dev/null
fi
exec python3 -E -s -S \${PYTHONDONTWRITEBYTECODE:+-B} -- "\$folder/start.py" $name \
   "\$reader" "\$@"
END
