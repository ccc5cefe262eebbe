/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Starts to measure 5 calls deep, and returns from there; main goes on.  Stops 3 calls
   deep in other functions.  All of it 3 times.
*/

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void down(int n)
{
   if (n == 0)
      CALLGRIND_START_INSTRUMENTATION;
   else
      down(n - 1);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void wrapper(void)
{
   down(4);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void up(int n)
{
   leaf();
   if (n == 0)
      CALLGRIND_STOP_INSTRUMENTATION;
   else
      up(n - 1);
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 3; i++) {
      wrapper();
      leaf();
      up(2);
      leaf();
   }
   return 0;
}
