/* SPDX-License-Identifier: GPL-2.0-or-later

   AArch64; registers.h says what is here.  DWARF's numbers are 0 to 30 for x0 to x30, 31
   for the stack pointer and 32 for the program counter; the kernel's are the same.

   With pointer authentication a function signs its return address before it saves it:
   the bits above the address are a signature then.  Call frame information says where it
   is signed, but need not be asked: no address of a program has any of these bits.  */

#ifndef SAMPLER_REGISTERS_ARM64_H
#define SAMPLER_REGISTERS_ARM64_H

#include <stdint.h>

#define REGISTER_FP 29
#define REGISTER_SP 31
#define REGISTER_PC 32
#define REGISTER_COUNT 33
#define REGISTER_LINK 30
#define REGISTER_LANDING REGISTER_COUNT
#define REGISTER_LIBDW_COUNT 32 /* it has another way for the program counter */

#define REGISTER_BITS ((1ull << REGISTER_COUNT) - 1)
#define REGISTER_ORDER                                                                   \
   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, \
      24, 25, 26, 27, 28, 29, 30, 31, 32

#define MACHINE_ELF EM_AARCH64
#define MACHINE_LARGEST_PAGE 65536

/* mov x8, #139; svc #0.  128 bytes of siginfo, 176 of ucontext before its registers, and
   the address of a fault come first.  */
#define SIGNAL_RETURN_FIRST 0x68, 0x11, 0x80, 0xd2
#define SIGNAL_RETURN_SECOND 0x01, 0x00, 0x00, 0xd4
#define SIGNAL_CONTEXT                                                                   \
   312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392, 400, 408, 416, 424, 432, 440,  \
      448, 456, 464, 472, 480, 488, 496, 504, 512, 520, 528, 536, 544, 552, 560, 568

/* svc #0, and where its result is.  */
#define SYSTEM_CALL 0x01, 0x00, 0x00, 0xd4
#define REGISTER_RESULT 0 /* x0 */

/* How many bits an address has is the kernel's choice: the processor knows it.  One
   without pointer authentication takes XPACLRI for no operation, and signs nothing.  */
static inline uint64_t register_plain_address(uint64_t address)
{
#ifdef __aarch64__
   register uint64_t link __asm__("x30") = address;
   __asm__("hint #7" : "+r"(link));
   return link;
#else
   return address & ((1ull << 48) - 1);
#endif
}

#endif
