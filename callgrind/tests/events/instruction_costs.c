/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Functions of a few instructions of one kind.
*/

#include "known_cost.h"

#define REPEATED(NAME, TIMES, INSTRUCTION)                                               \
   OPAQUE __attribute__((naked)) void NAME(void)                                         \
   {                                                                                     \
      __asm__(".rept " #TIMES "\n\t" INSTRUCTION "\n\t.endr\n\tret");                    \
   }

REPEATED(returns, 0, "")
REPEATED(adds, 10, "add %rcx, %rax")
REPEATED(narrow_adds, 10, "add %cx, %ax")
REPEATED(zeroes, 10, "xor %eax, %eax")
REPEATED(multiplies, 10, "imul %rcx, %rax")
REPEATED(loads, 10, "mov -8(%rsp), %rax")
REPEATED(stores, 10, "mov %rax, -8(%rsp)")
REPEATED(locked, 10, "lock addl $1, -8(%rsp)")
REPEATED(vectors, 10, "vmulps %ymm1, %ymm2, %ymm3")
REPEATED(square_roots, 10, "sqrtsd %xmm1, %xmm0")
REPEATED(old_floats, 10, "fld1\n\tfstp %st(0)")
REPEATED(branch_targets, 10, "endbr64")

/* Reserved, but executed as an operation without effect; no table knows it.  */
REPEATED(unknown, 10, ".byte 0x0f, 0x19, 0xc0")

int main(void)
{
   returns();
   adds();
   narrow_adds();
   zeroes();
   multiplies();
   loads();
   stores();
   locked();
   vectors();
   square_roots();
   old_floats();
   branch_targets();
   unknown();
   return 0;
}
