/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Writes its number into the file of the first argument.  Then calls a function over and
   over, two calls below main, until the file of the second argument is there; and another
   function at last.
*/

#include <stdio.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void round_of_work(void)
{
   for (int i = 0; i < 1000; i++)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void work_until(const char* path)
{
   while (access(path, F_OK) != 0)
      round_of_work();
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
   FILE* file = fopen(argv[1], "w");
   if (file == NULL)
      return 1;
   fprintf(file, "%d\n", (int)getpid());
   fclose(file);
   work_until(argv[2]);
   next();
   return 0;
}
