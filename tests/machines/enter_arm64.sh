#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# enter_arm64.sh EMULATOR SYSROOT TOOLS COMMAND...: runs a command where programs for
# arm64 run under EMULATOR (qemu-user) like any others, with libraries from SYSROOT.
# arm64.py starts it in user and mount namespaces of its own: what it tells the kernel of
# other processors' programs holds there only, and is gone when they end.
#
# Owns: that registration, and the environment.  TOOLS is a folder of compilers for arm64
# by the names of those for this machine.

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

# The emulator's own processor has cache lines of a length that the core asserts not to be
# (VG_(flush_dcache)).
QEMU_CPU=neoverse-n1
QEMU_LD_PREFIX=$sysroot
PKG_CONFIG_SYSROOT_DIR=$sysroot
PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig
PATH=$tools:$PATH
export QEMU_CPU QEMU_LD_PREFIX PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR PATH
exec "$@"
