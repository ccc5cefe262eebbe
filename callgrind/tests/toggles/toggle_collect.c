/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Calls wanted from two places, and unwanted; wanted calls leaf twice, unwanted once.
   With the argument `request` main switches collection itself, around the first call of
   wanted.
*/

#include <string.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE __attribute__((naked)) void wanted(void)
{
   __asm__("call leaf\n\tcall leaf\n\tret");
}

OPAQUE static void unwanted(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void other_caller(void)
{
   wanted();
   unwanted();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   if (argc > 1 && strcmp(argv[1], "request") == 0) {
      CALLGRIND_TOGGLE_COLLECT;
      wanted();
      CALLGRIND_TOGGLE_COLLECT;
   } else
      wanted();
   unwanted();
   other_caller();
   return 0;
}
