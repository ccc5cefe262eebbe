/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Forks in the midst of calls: the parent calls leaf 100 times before and 10 times
   after, the child once, then it forks a child of its own, which calls leaf twice.
   With an argument the first child executes that program instead of all this.
*/

#include <sys/wait.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void repeat(int n)
{
   while (n-- > 0)
      leaf();
   NO_TAIL_CALL;
}

OPAQUE static void grandchild(void)
{
   if (fork() == 0) {
      repeat(2);
      _exit(0);
   }
   wait(NULL);
}

OPAQUE static void child(const char* program)
{
   if (fork() == 0) {
      if (program != NULL) {
         execl(program, program, (char*)NULL);
         _exit(1);
      }
      repeat(1);
      grandchild();
      _exit(0);
   }
   wait(NULL);
}

int main(int argc, char** argv)
{
   repeat(100);
   child(argc > 1 ? argv[1] : NULL);
   repeat(10);
   return 0;
}
