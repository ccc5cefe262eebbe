/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -Wl,-z,now -lplt_library -Wl,-rpath,$ORIGIN
   Jumps into the PLT at the end of functions, again and again: alone, to one library
   function or another, and to one that calls on through a PLT of its own.
*/

#include "known_cost.h"

void lib_leaf(void);
void lib_outer(void);

OPAQUE static void to_leaf(void) { lib_leaf(); }

OPAQUE static void to_either(int number)
{
   if (number & 1)
      lib_leaf();
   else
      lib_outer();
}

/* A chain: two frames of tail calls below that of the library.  */
OPAQUE static void on_to_either(int number) { to_either(number); }

OPAQUE static void run(int rounds)
{
   for (int i = 0; i < rounds; i++) {
      to_leaf();
      to_either(i);
      on_to_either(i / 2);
   }
   NO_TAIL_CALL;
}

int main(void)
{
   run(200);
   return 0;
}
