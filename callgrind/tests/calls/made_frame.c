/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   A function that makes its caller's frame: it pushes two registers and returns with
   the stack pointer below the slot of its own return address, as V8's prologues do.
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

/* Costs 4.  */
OPAQUE __attribute__((naked)) void make_frame(void)
{
   __asm__("pop %rax\n\t"
           "push %rbx\n\t"
           "push %rax\n\t"
           "jmp *%rax");
}

/* As make_frame(), by a return: the address is pushed once more for it.  Costs 5.  */
OPAQUE __attribute__((naked)) void make_frame_and_return(void)
{
   __asm__("pop %rax\n\t"
           "push %rbx\n\t"
           "push %rax\n\t"
           "push %rax\n\t"
           "ret");
}

OPAQUE __attribute__((naked)) void framed_by_jump(void)
{
   __asm__("call make_frame\n\t"
           "sub $8, %rsp\n\t"
           "call leaf\n\t"
           "call leaf\n\t"
           "add $24, %rsp\n\t"
           "ret");
}

OPAQUE __attribute__((naked)) void framed_by_return(void)
{
   __asm__("call make_frame_and_return\n\t"
           "sub $8, %rsp\n\t"
           "call leaf\n\t"
           "call leaf\n\t"
           "add $24, %rsp\n\t"
           "ret");
}

int main(void)
{
   for (int i = 0; i < 3; i++) {
      framed_by_jump();
      framed_by_return();
      leaf();
   }
   return 0;
}
