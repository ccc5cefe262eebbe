/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Calls a library twice, which calls back.  For the ways in which the library can be
   named.
*/

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(work, 10)

OPAQUE static void run(void)
{
   lib_call(work);
   lib_call(work);
   NO_TAIL_CALL;
}

int main(void)
{
   run();
   return 0;
}
