/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   A library measures a function of the program 3 times: it issues START and STOP itself.
   With an argument, the object of that path is registered for skipping before.
*/

#include "callgrind.h"

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(leaf, 10)

OPAQUE static void user_work(void)
{
   for (int i = 0; i < 5; i++)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void benchmark(void)
{
   for (int i = 0; i < 3; i++)
      lib_measure(user_work);
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   if (argc > 1)
      CALLGRIND_ADD_OBJ_SKIP(argv[1]);
   benchmark();
   return 0;
}
