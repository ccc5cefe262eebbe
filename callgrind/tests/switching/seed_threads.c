/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Measurement starts in main while two other threads are three calls deep in a function
   of their own: one waits there in a system call, one is busy.  Then they return, call by
   call; each frame calls leaf on its way, and the outermost calls another function.
*/

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

static int gate[2];
static volatile int n_deep, is_open;

KNOWN_COST(leaf, 10)

OPAQUE static void innermost(int waits)
{
   char byte;
   __atomic_add_fetch(&n_deep, 1, __ATOMIC_SEQ_CST);
   if (waits)
      (void)!read(gate[0], &byte, 1);
   else
      while (!is_open) {}
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void middle(int waits)
{
   innermost(waits);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void outermost(int waits)
{
   middle(waits);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void next(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void* run(void* waits)
{
   outermost(waits != NULL);
   next();
   return NULL;
}

OPAQUE static void start(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   NO_TAIL_CALL;
}

OPAQUE static void in_main(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   pthread_t threads[2];
   if (pipe(gate) != 0)
      return 1;
   pthread_create(&threads[0], NULL, run, gate);
   pthread_create(&threads[1], NULL, run, NULL);
   while (n_deep < 2)
      sched_yield();
   /* Time for the one to get from its notice into the system call.  */
   usleep(200000);
   start();
   in_main();
   is_open = 1;
   (void)!write(gate[1], "", 1);
   pthread_join(threads[0], NULL);
   pthread_join(threads[1], NULL);
   in_main();
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
