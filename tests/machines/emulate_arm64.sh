#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# emulate_arm64.sh EMULATOR COMMAND...: runs a command where programs for arm64 run under
# EMULATOR (qemu-user), in user, mount and process namespaces of its own.  To be started
# by root: the users there are those of this machine, so that the command can make a
# Debian root, whose files belong to several.
#
# Owns: those namespaces.  A namespace's users can only be set from outside: a process
# that stays behind does so once the namespace is there, and then the command goes on.

set -eu

if [ "$1" = --inside ]; then
   pipes=$2 emulator=$3
   shift 3
   echo begun > "$pipes/begun"
   read -r answer < "$pipes/answer"
   if [ "$answer" != mapped ]; then
      echo "emulate_arm64.sh: this machine's users cannot be those of a namespace" >&2
      exit 1
   fi
   mount --make-rprivate /
   mount -t proc proc /proc
   # shellcheck source=tests/machines/register_arm64.sh
   . "$(dirname "$0")/register_arm64.sh"
   register_arm64 "$emulator"
   exec "$@"
fi

# The process below waits for one that this must not fail to make.
unshare --user --mount --pid --fork -- true
pipes=$(mktemp -d)
mkfifo "$pipes/begun" "$pipes/answer"
(
   read -r _ < "$pipes/begun"
   answer=mapped
   for map in uid_map gid_map; do
      echo '0 0 65536' > "/proc/$$/$map" || answer=failed
   done
   echo "$answer" > "$pipes/answer"
   rm -r "$pipes"
) &
exec unshare --user --mount --pid --fork --kill-child -- sh "$0" --inside "$pipes" "$@"
