/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Calls a function over and over, two calls below main, until the file of the second
   argument is there; and another function at last.  Tells of each round in the file of the
   first argument (rounds.h).
*/

#include <unistd.h>

#include "known_cost.h"
#include "rounds.h"

KNOWN_COST(leaf, 10)

OPAQUE static void round_of_work(void)
{
   for (int i = 0; i < 1000; i++)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void work_until(const char* path, const char* pid_path)
{
   while (access(path, F_OK) != 0) {
      round_of_work();
      tell_of_round(pid_path);
   }
   NO_TAIL_CALL;
}

OPAQUE static void next(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   if (argc < 3)
      return 2;
   work_until(argv[2], argv[1]);
   next();
   return 0;
}
