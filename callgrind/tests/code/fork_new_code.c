/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   A function with many ways through it, of which the parent takes one, and its forked
   children the same one and then all others.  The way back from the second fork has been
   translated before.
*/

#include <sys/wait.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

/* Each way has code that those before it do not run.  */
OPAQUE static void ways(int way)
{
   switch (way) {
   case 3: leaf(); /* fall through */
   case 2: leaf(); /* fall through */
   case 1: leaf(); /* fall through */
   case 0: leaf();
   }
   for (int i = 0; i < way; i++)
      if (i % 3 == 1)
         leaf();
      else if (i % 5 == 2)
         leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 100; i++)
      ways(0);
   for (int children = 0; children < 2; children++) {
      if (fork() == 0) {
         for (int way = 0; way < 8; way++)
            ways(way);
         _exit(0);
      }
      wait(NULL);
   }
   ways(0);
   return 0;
}
