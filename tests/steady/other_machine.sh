#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first process of an emulated machine (other_machine.py).  Owns: what it mounts, and
# that it ends.  The files of the machine that emulates it are in /root, and can be read;
# the folder that the kernel's command line names as `work` can be written, and has the
# commands to run.

export PATH=/usr/bin:/bin
b=/bin/busybox

$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
for driver in /drivers/*.ko; do
   $b insmod "$driver"
done
for word in $($b cat /proc/cmdline); do
   case $word in
      work=*) work=${word#work=} ;;
   esac
done

options=trans=virtio,version=9p2000.L,msize=262144
$b mount -t 9p -o "ro,cache=loose,$options" root /root || echo "no files: root"
# Programs want to write temporary files.  What lies in /tmp and is needed is seen there
# all the same.
$b mkdir /kept/tmp
$b mount -o bind /root/tmp /kept/tmp
$b mkdir /kept/work
$b mount -t 9p -o "cache=none,$options" work /kept/work || echo "no files: work"
$b mount -t tmpfs -o mode=1777 tmp /root/tmp
while read -r path; do
   case $path in
      /tmp/*)
         $b mkdir -p "/root$path"
         $b mount -o bind "/kept$path" "/root$path" ;;
   esac
done < /kept/work/seen
$b mkdir -p "/root$work"
$b mount -o bind /kept/work "/root$work"

$b mount -t proc proc /root/proc
$b mount -t sysfs sys /root/sys
$b mount -t devtmpfs dev /root/dev
$b ln -s /proc/self/fd /root/dev/fd
$b mkdir -p /root/dev/shm
$b mount -t tmpfs -o mode=1777 shared /root/dev/shm

$b chroot /root /bin/sh -c "W=$work; . $work/commands"
$b sync
echo "callgrind-exact: the machine ends"
$b poweroff -f
