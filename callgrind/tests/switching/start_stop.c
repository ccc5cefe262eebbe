/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Switches instrumentation on and off again 3 times.  While it is on, measured calls
   leaf 5 times; in between, leaf is called 50 times.  Nothing else is called while it
   is on.
*/

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void measured(void)
{
   for (int i = 0; i < 5; i++)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void unmeasured(void)
{
   for (int i = 0; i < 50; i++)
      leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   unmeasured();
   for (int i = 0; i < 3; i++) {
      CALLGRIND_START_INSTRUMENTATION;
      measured();
      CALLGRIND_STOP_INSTRUMENTATION;
      unmeasured();
   }
   return 0;
}
