/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Measurement starts below 2000 calls.  When they have returned, a thread makes 1000
   calls, each within the one before.
*/

#include <pthread.h>

#include "callgrind.h"

#include "known_cost.h"

OPAQUE static void start_below(int n)
{
   if (n > 1)
      start_below(n - 1);
   else
      CALLGRIND_START_INSTRUMENTATION;
   NO_TAIL_CALL;
}

OPAQUE static void descend(long n)
{
   if (n > 1)
      descend(n - 1);
   NO_TAIL_CALL;
}

OPAQUE static void* run(void* calls)
{
   descend((long)calls);
   return NULL;
}

int main(void)
{
   pthread_t thread;
   start_below(2000);
   if (pthread_create(&thread, NULL, run, (void*)1000L) != 0)
      return 1;
   pthread_join(thread, NULL);
   return 0;
}
