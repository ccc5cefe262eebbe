#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# enter_root.sh ROOT COMMAND...: runs a command in a root.  debian_root.py starts it in
# mount and process namespaces of its own, as their first process.  So what it mounts is
# seen by nobody else, and all is unmounted and ended when it ends.
#
# ENTER_ROOT_HIDES names a folder of the root that is empty to the command, if it is
# there.  ENTER_ROOT_AS says as whom the command runs:
#
#    user         a user without rights, in a user namespace as its root; all files of the
#                 root are nobody's to it
#    container    root with what rights Docker gives it
#
# Owns: what a root needs besides its files: processes, devices, the processor's caches.

set -eu

root=$1
shift

mount --make-rprivate /
mount -t proc proc "$root/proc"
# Read by the tool for the host's caches; nothing there is to be changed.
mount --rbind /sys "$root/sys"
mount -o remount,bind,ro,nosuid,nodev,noexec "$root/sys"
mount -t tmpfs -o mode=755 devices "$root/dev"
for device in null zero full random urandom tty; do
   : > "$root/dev/$device"
   mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 terminals "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=1777 shared "$root/dev/shm"

if [ -d "$root/${ENTER_ROOT_HIDES:-no/such}" ]; then
   mount -t tmpfs hidden "$root/$ENTER_ROOT_HIDES"
fi

# The user may not reach the folder by its path.
cd "$root"
case ${ENTER_ROOT_AS:-} in
   user)
      set -- setpriv --reuid=65534 --regid=65534 --clear-groups \
         unshare --user --map-root-user chroot . "$@" ;;
   container)
      kept=chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap
      kept=$kept,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap
      # As there, the command is the first process, with all that confines the others.
      exec setpriv --bounding-set="-all,+$kept" --inh-caps=-all chroot . "$@" ;;
   *)
      set -- chroot . "$@" ;;
esac

# Not exec: the first process of a namespace has to wait for processes that lost their
# parents, which the shell does.
status=0
"$@" || status=$?
exit $status
