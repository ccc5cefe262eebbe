/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Recursion: countdown calls itself, 6 activations; even and odd call each other, 3
   activations each.  An activation of countdown costs 5 instructions (4 the last), one of
   even or odd as many.
*/

#include "known_cost.h"

#define DESCEND(NAME, NEXT)                                                              \
   OPAQUE __attribute__((naked)) void NAME(long n)                                       \
   {                                                                                     \
      __asm__("dec %rdi\n\tjz 1f\n\tcall " #NEXT "\n\tnop\n1:\tret");                    \
   }

DESCEND(countdown, countdown)
DESCEND(even, odd)
DESCEND(odd, even)

int main(void)
{
   countdown(6);
   even(6);
   NO_TAIL_CALL;
   return 0;
}
