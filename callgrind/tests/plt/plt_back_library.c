/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -shared -fPIC -Wl,-z,now
   A library whose functions jump through its own PLT: to themselves, and to one another
   and back.
*/

#include "known_cost.h"

/* Another name for lib_again(), so that compilers make no loop of it.  */
void lib_again_too(int times);
__asm__(".globl lib_again_too\n.set lib_again_too, lib_again\n");

OPAQUE void lib_again(int times)
{
   if (times > 0)
      lib_again_too(times - 1);
}

void lib_pong(int times);

OPAQUE void lib_ping(int times)
{
   if (times > 0)
      lib_pong(times - 1);
}

OPAQUE void lib_pong(int times)
{
   if (times > 0)
      lib_ping(times - 1);
}
