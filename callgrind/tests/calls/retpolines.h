/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The body of the retpolines_* programs, which differ in how the compiler writes indirect
   calls, indirect jumps and returns: leaf is called through a pointer, by a call and by a
   sibling call, and afterwards directly.
*/

#include "known_cost.h"

OPAQUE static void leaf(void) { NO_TAIL_CALL; }

OPAQUE static void caller(void (*callee)(void))
{
   callee();
   callee();
   NO_TAIL_CALL;
}

OPAQUE static void sibling_caller(void (*callee)(void)) { callee(); }

OPAQUE static void round_of_calls(void (*volatile callee)(void))
{
   caller(callee);
   sibling_caller(callee);
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 5; i++)
      round_of_calls(leaf);
   leaf();
   return 0;
}
