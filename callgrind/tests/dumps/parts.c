/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Dumps itself in the midst of nested calls:

      part 1   leaf once              ends in inner, by CALLGRIND_DUMP_STATS
      part 2   leaf twice             ends in inner, with a text of two lines
      zeroed   leaf 100 times         forgotten by CALLGRIND_ZERO_STATS
      part 3   leaf 3 times           ends with the program
*/

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void inner(void)
{
   leaf();
   CALLGRIND_DUMP_STATS;
   leaf();
   leaf();
   CALLGRIND_DUMP_STATS_AT("text with\nnewline");
   for (int i = 0; i < 100; i++)
      leaf();
   CALLGRIND_ZERO_STATS;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void outer(void)
{
   inner();
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   outer();
   leaf();
   return 0;
}
