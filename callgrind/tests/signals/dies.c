/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Dies of a signal, three calls deep.  The argument says how:

      fault     writes to address 0
      abort     calls abort
      wait      waits to be killed, having written its process id to the file dies.pid
      exit      does not die, but ends the process with _exit(5) there
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static void tell_pid(void)
{
   FILE* file = fopen("dies.pid.new", "w");
   fprintf(file, "%d\n", (int)getpid());
   fclose(file);
   rename("dies.pid.new", "dies.pid");
}

OPAQUE static void die(const char* how)
{
   leaf();
   if (strcmp(how, "fault") == 0)
      *(volatile int*)0 = 1;
   if (strcmp(how, "abort") == 0)
      abort();
   if (strcmp(how, "exit") == 0)
      _exit(5);
   tell_pid();
   for (;;)
      pause();
}

OPAQUE static void outer(const char* how)
{
   leaf();
   die(how);
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   outer(argc > 1 ? argv[1] : "exit");
   return 0;
}
