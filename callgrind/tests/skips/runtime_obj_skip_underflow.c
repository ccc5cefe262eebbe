/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   A library starts the measurement 6 calls deep in a recursion, which then returns frame
   by frame and calls the program in each of them.  Then the program goes on for itself,
   twice.  With an argument, the object of that path is registered for skipping before.
*/

#include "callgrind.h"

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(leaf, 10)

OPAQUE static void returning(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void after(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void program(void)
{
   lib_descend(6, lib_start, returning);
   after();
   CALLGRIND_STOP_INSTRUMENTATION;
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   if (argc > 1)
      CALLGRIND_ADD_OBJ_SKIP(argv[1]);
   program();
   program();
   return 0;
}
