#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the command callgrind_report to stdout: it runs callgrind_report.py, which is
# found beside the command.
#
#    make_report_command.sh BESIDE OTHERWISE
#
# BESIDE is the folder of the Python files as seen from the command's folder (so that an
# installation can be moved as a whole), OTHERWISE its absolute path, for an installation
# whose parts were moved apart.

set -eu

# One shell word, whatever its characters.
quoted()
{
   printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

beside=$(quoted "$1")
otherwise=$(quoted "$2")

cat <<END
#!/bin/sh
# Reports where the costs in callgrind profiles are; callgrind_report --help explains.
# Written by coregrind/make_report_command.sh of callgrind-exact.

self=\$0
if [ -L "\$self" ]; then
   self=\$(readlink -f -- "\$self")
fi
case \$self in
   */*) folder=\${self%/*}/$beside ;;
   *)   folder=./$beside ;;
esac
if [ ! -f "\$folder/callgrind_report.py" ]; then
   folder=$otherwise
fi
if ! command -v python3 > /dev/null; then
   echo "callgrind_report: needs python3, which is not in PATH; install it" >&2
   exit 2
fi
exec python3 -- "\$folder/callgrind_report.py" "\$@"
END
