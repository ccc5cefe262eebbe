/* SPDX-License-Identifier: GPL-2.0-or-later

   x86-64; registers.h says what is here.  DWARF's numbers are 0 to 15, and 16 for the
   program counter.  */

#ifndef SAMPLER_REGISTERS_AMD64_H
#define SAMPLER_REGISTERS_AMD64_H

#include <stdint.h>

#define REGISTER_FP 6
#define REGISTER_SP 7
#define REGISTER_PC 16
#define REGISTER_COUNT 17
#define REGISTER_LINK REGISTER_PC
#define REGISTER_LANDING 2 /* rcx */
#define REGISTER_LIBDW_COUNT REGISTER_COUNT

/* rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, rip; r8 to r15.  */
#define REGISTER_BITS 0xff01ffull
#define REGISTER_ORDER 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15

#define MACHINE_ELF EM_X86_64
#define MACHINE_LARGEST_PAGE 4096

/* mov $15, %rax; syscall.  The context of <asm/sigcontext.h> follows 40 bytes.  */
#define SIGNAL_RETURN_FIRST 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00
#define SIGNAL_RETURN_SECOND 0x0f, 0x05
#define SIGNAL_CONTEXT                                                                   \
   144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168

/* syscall, and where its result is.  */
#define SYSTEM_CALL 0x0f, 0x05
#define REGISTER_RESULT 0 /* rax */

static inline uint64_t register_plain_address(uint64_t address) { return address; }

#endif
