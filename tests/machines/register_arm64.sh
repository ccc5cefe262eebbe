# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# register_arm64 EMULATOR: in a user and a mount namespace of one's own, tells the kernel
# that programs for arm64 run under EMULATOR (qemu-user), and sets its environment.  It
# holds there only, and is gone when they end.
#
# Owns: that registration, and how the emulator has to be set for the core.

register_arm64()
{
   formats=$(mktemp -d)
   mount -t binfmt_misc binfmt_misc "$formats"
   # An executable or a shared object, of 64 bits, for machine 0xb7.  F: the emulator is
   # found in every root.
   zeros='\x00\x00\x00\x00\x00\x00\x00\x00\x00'
   ones='\xff\xff\xff\xff\xff\xff\xff\xff'
   printf '%s' ":arm64:M::\\x7fELF\\x02\\x01\\x01${zeros}\\x02\\x00\\xb7\\x00:\
\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00${ones}\\xfe\\xff\\xff\\xff:${1}:PF" \
      > "$formats/register"
   # The emulator's own processor has cache lines of a length that the core asserts not to
   # be (VG_(flush_dcache)).
   QEMU_CPU=neoverse-n1
   # All signals but two are this machine's, which needs some for itself.  The program has
   # those of its C library (32, 33), those of the core (64), and fewer others.  Emulators
   # before version 10 do not know this, and can send neither 63 nor 64.
   QEMU_RTSIG_MAP='32 34 2,63 36 2,34 38 25'
   export QEMU_CPU QEMU_RTSIG_MAP
}
