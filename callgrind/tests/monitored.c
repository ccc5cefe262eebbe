/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Calls a function over and over, two calls below main, until the file of the second
   argument is there; and another function at last.  When it is at it, it writes its number
   into the file of the first argument; and from then on, behind each round, a byte into the
   file of that name with `.rounds` behind.
*/

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void round_of_work(void)
{
   for (int i = 0; i < 1000; i++)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void write_file(const char* path, const char* mode, const char* text)
{
   FILE* file = fopen(path, mode);
   if (file == NULL)
      exit(1);
   fputs(text, file);
   fclose(file);
   NO_TAIL_CALL;
}

OPAQUE static void tell_of_round(const char* pid_path)
{
   char text[512];
   snprintf(text, sizeof text, "%s.rounds", pid_path);
   if (access(pid_path, F_OK) == 0) {
      write_file(text, "a", ".");
   } else {
      write_file(text, "w", "");
      snprintf(text, sizeof text, "%d\n", (int)getpid());
      write_file(pid_path, "w", text);
   }
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
