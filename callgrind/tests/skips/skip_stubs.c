/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -rdynamic -lstub_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   A library calls three functions of this program 3 times, two of them through functions
   that are nothing but a jump.
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

void stub_rounds(void);

OPAQUE void program_first(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE void program_second(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE void program_third(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void run(void)
{
   stub_rounds();
   NO_TAIL_CALL;
}

int main(void)
{
   run();
   return 0;
}
