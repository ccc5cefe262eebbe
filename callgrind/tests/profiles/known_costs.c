/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   A call graph with known numbers:

      main 2x outer, 1x leaf       outer 3x middle, 1x leaf       middle 1x leaf

   outer is called from two lines of main, one of which runs once.
*/

#include "known_costs.h"

KNOWN_COST(leaf, 10)

/* 2 instructions of its own, 10 of leaf's */
OPAQUE NAKED void middle(void) { __asm__(MIDDLE); }

/* 5 instructions of its own */
OPAQUE NAKED void outer(void)
{
   __asm__(OUTER);
}

int main(void)
{
   outer();
   leaf();
   outer();
   return 0;
}
