/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Three threads that run together: each calls work 100 times, and main does so once.
   They give way to each other all the time, in the middle of work too, and begin only
   when all are there, so that none takes the number of one that has ended.  The argument
   says how the process ends:

      join     main waits for the threads and returns from main
      exit     a thread ends the process with exit(7), while main waits for it
      leave    main ends with pthread_exit; the last thread ends the process
*/

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "known_cost.h"

#define THREADS 3

KNOWN_COST(leaf, 10)
KNOWN_COST(before_yield, 4)

OPAQUE static void work(void)
{
   before_yield();
   sched_yield();
   leaf();
   NO_TAIL_CALL;
}

static pthread_barrier_t all_there;

OPAQUE static void* run(void* how)
{
   if (how == NULL)
      pthread_barrier_wait(&all_there);
   for (int i = 0; i < 100; i++)
      work();
   if (how != NULL)
      exit(7);
   return NULL;
}

int main(int argc, char** argv)
{
   const char* how = argc > 1 ? argv[1] : "join";
   pthread_t threads[THREADS];
   pthread_barrier_init(&all_there, NULL, THREADS);
   for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, run, NULL);
   work();
   if (strcmp(how, "leave") == 0)
      pthread_exit(NULL);
   for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
   if (strcmp(how, "exit") == 0) {
      pthread_create(&threads[0], NULL, run, argv);
      pthread_join(threads[0], NULL);
   }
   return 0;
}
