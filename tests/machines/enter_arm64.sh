#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# enter_arm64.sh EMULATOR SYSROOT TOOLS COMMAND...: runs a command where programs for
# arm64 run under EMULATOR (qemu-user) like any others, with libraries from SYSROOT.
# arm64.py starts it in user and mount namespaces of its own: what it tells the kernel of
# other processors' programs, and what it mounts, holds there only, and is gone when they
# end.
#
# Owns: that registration, the mounts, and the environment.  TOOLS is a folder of
# compilers for arm64, and of what else has to be that machine's, by the names of those
# for this one.

set -eu

emulator=$1 sysroot=$2 tools=$3
shift 3

formats=$(mktemp -d)
mount -t binfmt_misc binfmt_misc "$formats"
# An executable or a shared object, of 64 bits, for machine 0xb7.  F: the emulator is
# found in every root.
zeros='\x00\x00\x00\x00\x00\x00\x00\x00\x00'
ones='\xff\xff\xff\xff\xff\xff\xff\xff'
printf '%s' ":arm64:M::\\x7fELF\\x02\\x01\\x01${zeros}\\x02\\x00\\xb7\\x00:\
\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00${ones}\\xfe\\xff\\xff\\xff:${emulator}:PF" \
   > "$formats/register"

# The libraries lie where a program looks for them, also one that is started without any
# environment, beside this machine's, whose folders have other names.  (QEMU_LD_PREFIX
# would lead every path to SYSROOT that is there, /tmp, too.)
mount -t overlay overlay -o "lowerdir=/usr/lib:$sysroot/usr/lib:$sysroot/lib" /usr/lib

# The emulator's own processor has cache lines of a length that the core asserts not to be
# (VG_(flush_dcache)).
QEMU_CPU=neoverse-n1
# All signals but two are this machine's, which needs some for itself.  The program has
# those of its C library (32, 33), those of the core (64), and fewer others.  Emulators
# before version 10 do not know this, and can send neither 63 nor 64.
QEMU_RTSIG_MAP='32 34 2,63 36 2,34 38 25'
PKG_CONFIG_SYSROOT_DIR=$sysroot
PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig
PATH=$tools:$PATH
export QEMU_CPU QEMU_RTSIG_MAP PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR PATH
exec "$@"
