/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Functions called skipped_* are entered in all ways there are: by a call, a jump, a
   return to a pushed address, by running on into them, one through another; and left by a
   jump.  All of them come to call work once, by_nested_bounces twice.  What each function
   costs itself is known.
*/

#include "known_cost.h"

KNOWN_COST(work, 10)

/* 4 instructions.  */
OPAQUE __attribute__((naked)) void skipped_call(void)
{
   __asm__("sub $8, %rsp\n\tcall work\n\tadd $8, %rsp\n\tret");
}

/* 2 instructions; leaves by a jump to the program's function.  */
OPAQUE __attribute__((naked)) void skipped_bounce(void) { __asm__("nop\n\tjmp work"); }

/* 1 instruction.  */
OPAQUE __attribute__((naked)) void skipped_stub(void) { __asm__("jmp work"); }

/* 3 and 4 instructions; one skipped function through another.  */
OPAQUE __attribute__((naked)) void skipped_chain(void)
{
   __asm__("nop\n\tnop\n\tjmp skipped_call");
}

OPAQUE __attribute__((naked)) void skipped_outer(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_call\n\tadd $8, %rsp\n\tret");
}

/* 5 instructions; two skipped functions that leave by a jump, by one that calls them.  */
OPAQUE __attribute__((naked)) void skipped_outer_bounces(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_bounce\n\tcall skipped_bounce\n\tadd $8, %rsp\n\t"
           "ret");
}

/* 4 instructions; the same through one more.  */
OPAQUE __attribute__((naked)) void skipped_outermost(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_outer_bounces\n\tadd $8, %rsp\n\tret");
}

/* 4 instructions.  */
OPAQUE __attribute__((naked)) void by_call(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_call\n\tadd $8, %rsp\n\tret");
}

/* 2 instructions.  */
OPAQUE __attribute__((naked)) void by_jump(void) { __asm__("nop\n\tjmp skipped_call"); }

/* 3 instructions.  */
OPAQUE __attribute__((naked)) void by_return(void)
{
   __asm__("lea skipped_call(%rip), %rax\n\tpush %rax\n\tret");
}

/* 4 instructions each.  */
OPAQUE __attribute__((naked)) void by_bounce(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_bounce\n\tadd $8, %rsp\n\tret");
}

OPAQUE __attribute__((naked)) void by_nesting(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_outer\n\tadd $8, %rsp\n\tret");
}

OPAQUE __attribute__((naked)) void by_nested_bounces(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_outermost\n\tadd $8, %rsp\n\tret");
}

/* 2 instructions each.  */
OPAQUE __attribute__((naked)) void by_chain(void) { __asm__("nop\n\tjmp skipped_chain"); }

OPAQUE __attribute__((naked)) void by_double_bounce(void)
{
   __asm__("nop\n\tjmp skipped_bounce");
}

OPAQUE __attribute__((naked)) void by_stub_jump(void)
{
   __asm__("nop\n\tjmp skipped_stub");
}

/* 4 instructions.  */
OPAQUE __attribute__((naked)) void by_stub(void)
{
   __asm__("sub $8, %rsp\n\tcall skipped_stub\n\tadd $8, %rsp\n\tret");
}

/* 2 instructions, which run on into a skipped function of 4.  */
void by_running_on(void);
__asm__(".type by_running_on, @function\n"
        "by_running_on:\n\tnop\n\tnop\n"
        ".size by_running_on, . - by_running_on\n"
        ".type skipped_below, @function\n"
        "skipped_below:\n\tsub $8, %rsp\n\tcall work\n\tadd $8, %rsp\n\tret\n"
        ".size skipped_below, . - skipped_below\n");

OPAQUE static void run(void (*function)(void), int times)
{
   while (times-- > 0)
      function();
   NO_TAIL_CALL;
}

int main(void)
{
   run(by_call, 1);
   run(by_jump, 2);
   run(by_return, 3);
   run(by_running_on, 4);
   run(by_bounce, 5);
   run(by_double_bounce, 6);
   run(by_chain, 7);
   run(by_nesting, 8);
   run(by_stub, 9);
   run(by_stub_jump, 10);
   run(by_nested_bounces, 11);
   work();
   return 0;
}
