/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -Wl,-z,now -lplt_back_library -Wl,-rpath,$ORIGIN
   Calls functions of a library that jump through its PLT to themselves, and to one
   another and back.
*/

#include "known_cost.h"

void lib_again(int times);
void lib_ping(int times);

OPAQUE static void run(int rounds)
{
   for (int i = 0; i < rounds; i++) {
      lib_again(3);
      lib_ping(4);
   }
   NO_TAIL_CALL;
}

int main(void)
{
   run(100);
   return 0;
}
