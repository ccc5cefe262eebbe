/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Measurement starts below as many calls as the argument says, of two functions in turn.
   They return one by one, each calls leaf on its way.  Then main calls another function.
*/

#include <stdlib.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void pong(int n);

OPAQUE static void ping(int n)
{
   if (n > 1)
      pong(n - 1);
   else
      CALLGRIND_START_INSTRUMENTATION;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void pong(int n)
{
   if (n > 1)
      ping(n - 1);
   else
      CALLGRIND_START_INSTRUMENTATION;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void next(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   ping(argc > 1 ? atoi(argv[1]) : 5000);
   next();
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
