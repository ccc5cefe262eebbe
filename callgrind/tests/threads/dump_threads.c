/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   A benchmark of eight threads that work, which one of them starts and dumps: the last
   thread that is made.  Each calls work once in the benchmark, and once behind it.
*/

#include <pthread.h>
#include <stdlib.h>

#include "callgrind.h"

#include "known_cost.h"

#define THREADS 8

KNOWN_COST(work, 10)

static pthread_barrier_t begin, end, dumped;

static void* run(void* which)
{
   int is_last = *(int*)which == THREADS - 1;
   if (is_last) {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
   }
   pthread_barrier_wait(&begin);
   work();
   pthread_barrier_wait(&end);
   if (is_last)
      CALLGRIND_DUMP_STATS_AT("bench");
   pthread_barrier_wait(&dumped);
   work();
   return NULL;
}

int main(void)
{
   pthread_t threads[THREADS];
   int numbers[THREADS];
   pthread_barrier_init(&begin, NULL, THREADS);
   pthread_barrier_init(&end, NULL, THREADS);
   pthread_barrier_init(&dumped, NULL, THREADS);
   for (int i = 0; i < THREADS; i++) {
      numbers[i] = i;
      pthread_create(&threads[i], NULL, run, &numbers[i]);
   }
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
