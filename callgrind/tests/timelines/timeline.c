/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static

   Calls of known costs, and what leaves marks on a timeline.

   timeline marks    marks of its own, a dump, STOP and START, collection off and on
   timeline killed   works for longer than the tool waits to write; its child kills it
   timeline many     so many calls that they do not fit
*/

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "callgrind.h"
#include "known_cost.h"

KNOWN_COST(leaf, 10)
KNOWN_COST(long_leaf, 1000)

OPAQUE static void middle(void)
{
   leaf();
   long_leaf();
   NO_TAIL_CALL;
}

OPAQUE static void in_parts(void)
{
   CALLGRIND_TIMELINE_MARK("a mark with \\ and \n");
   middle();
   CALLGRIND_DUMP_STATS_AT("half");
   middle();
   CALLGRIND_ADD_DESC("name: value");
   CALLGRIND_TOGGLE_COLLECT;
   middle();
   CALLGRIND_TOGGLE_COLLECT;
}

OPAQUE static void stop_and_start(void)
{
   CALLGRIND_STOP_INSTRUMENTATION;
   middle();
   CALLGRIND_START_INSTRUMENTATION;
   middle();
}

OPAQUE static void work(int n)
{
   for (int i = 0; i < n; i++)
      middle();
}

OPAQUE static void work_short(int n)
{
   for (int i = 0; i < n; i++)
      leaf();
}

int main(int argc, char** argv)
{
   const char* what = argc > 1 ? argv[1] : "";
   if (strcmp(what, "marks") == 0) {
      in_parts();
      stop_and_start();
   } else if (strcmp(what, "killed") == 0) {
      work(80000);
      if (fork() == 0) {
         kill(getppid(), SIGKILL);
         _exit(0);
      }
      for (;;)
         pause();
   } else if (strcmp(what, "many") == 0)
      for (int i = 0; i < 400; i++)
         work_short(500);
   return 0;
}
