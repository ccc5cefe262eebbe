/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Measurement starts in wrappers, which return: in the innermost of 1 or of 3, as the
   argument says.  Each calls leaf on its way back.  Then main calls another function.
*/

#include <stdlib.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void innermost(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void middle(void)
{
   innermost();
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void outermost(void)
{
   middle();
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void callee(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   if (argc > 1 && atoi(argv[1]) == 3)
      outermost();
   else
      innermost();
   callee();
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
