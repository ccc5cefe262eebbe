#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# enter_root.sh ROOT COMMAND...: runs a command in a root.  debian_root.py starts it in
# mount and process namespaces of its own, as their first process.  So what it mounts is
# seen by nobody else, and all is unmounted and ended when it ends.
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

# Not exec: the first process of a namespace has to wait for processes that lost their
# parents, which the shell does.
status=0
chroot "$root" "$@" || status=$?
exit $status
