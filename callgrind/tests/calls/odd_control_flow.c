/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Machine code that does not call and return in pairs.  Each of these functions calls
   leaf at last, in an ordinary way, and returns to its caller:

      thunk        calls the next instruction to learn where it is, and drops it
      pushed       pushes an address within itself, and returns there
      retpoline    calls leaf's address through a replaced return address
      dropping     returns with `ret $16`, over two words that main pushed
      skipping     calls helper, which drops its return address and returns to all at once
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

#define EXACT OPAQUE NAKED void

EXACT thunk(void) { __asm__("call 1f\n1:\tpop %rax\n\tcall leaf\n\tret"); }

EXACT pushed(void)
{
   __asm__("lea 1f(%rip),%rax\n\tpush %rax\n\tret\n\tud2\n1:\tcall leaf\n\tret");
}

EXACT retpoline(void)
{
   __asm__("lea leaf(%rip),%rax\n\tcall 2f\n\tret\n"
           "2:\tcall 3f\n4:\tpause\n\tjmp 4b\n3:\tmov %rax,(%rsp)\n\tret");
}

EXACT dropping(void) { __asm__("call leaf\n\tret $16"); }

EXACT helper(void) { __asm__("call leaf\n\tadd $8,%rsp\n\tret"); }

EXACT skipping(void) { __asm__("call helper\n\tud2"); }

EXACT all(void)
{
   __asm__("call thunk\n\tcall pushed\n\tcall retpoline\n\tpush $1\n\tpush $2\n\t"
           "call dropping\n\tcall skipping\n\tcall leaf\n\tret");
}

int main(void)
{
   for (int i = 0; i < 3; i++) {
      all();
      NO_TAIL_CALL;
   }
   leaf();
   return 0;
}
