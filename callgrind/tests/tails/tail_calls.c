/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Sibling calls, which are jumps: first -> second -> third, which returns to main.  And a
   loop of such jumps between ping and pong, 1000 times around or as often as the argument
   says.
*/

#include <stdlib.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE __attribute__((naked)) void third(void) { __asm__("call leaf\n\tret"); }

OPAQUE __attribute__((naked)) void second(void) { __asm__("nop\n\tjmp third"); }

OPAQUE __attribute__((naked)) void first(void) { __asm__("nop\n\tjmp second"); }

OPAQUE __attribute__((naked)) void pong(long n) { __asm__("nop\n\tnop\n\tjmp ping"); }

OPAQUE __attribute__((naked)) void ping(long n)
{
   __asm__("dec %rdi\n\tjnz pong\n\tret");
}

int main(int argc, char** argv)
{
   for (int i = 0; i < 4; i++) {
      first();
      NO_TAIL_CALL;
   }
   ping(argc > 1 ? atol(argv[1]) + 1 : 1001);
   leaf();
   return 0;
}
