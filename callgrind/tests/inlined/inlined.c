/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that has code of a header in its middle, and calls another from there.
   build: -static */
#include "inlined.h"
#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE void host(void)
{
   __asm__ volatile("nop\n\tnop");
   seven_nops();
   leaf();
   __asm__ volatile("nop");
   seven_nops();
}

int main(void)
{
   for (int i = 0; i < 4; i++) {
      host();
      NO_TAIL_CALL;
   }
   return 0;
}
