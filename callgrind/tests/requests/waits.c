/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Calls step five times; the last call calls itself once, and waits there, going round in
   wait_for_stop until the file of the second argument is there.  The third argument is a
   number of further threads, which wait for the same.  Each time when all have gone round
   once more, it tells of that in the file of the first argument (rounds.h).
*/

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "known_cost.h"
#include "rounds.h"

KNOWN_COST(leaf, 10)

#define MOST_THREADS 8

static const char *pid_path, *stop_path;
static int thread_count; /* the main thread is one more, and number 0 */
static atomic_uint rounds[MOST_THREADS + 1];

OPAQUE static void tell_of_rounds(void)
{
   static unsigned told[MOST_THREADS + 1];
   for (int i = 0; i <= thread_count; i++)
      if (rounds[i] == told[i])
         return;
   for (int i = 0; i <= thread_count; i++)
      told[i] = rounds[i];
   tell_of_round(pid_path);
   NO_TAIL_CALL;
}

OPAQUE static void wait_for_stop(int number)
{
   while (access(stop_path, F_OK) != 0) {
      usleep(10000);
      rounds[number]++;
      if (number == 0)
         tell_of_rounds();
   }
   NO_TAIL_CALL;
}

OPAQUE static void step(int number)
{
   for (int i = 0; i < number; i++)
      leaf();
   if (number == 5)
      step(6);
   if (number == 6)
      wait_for_stop(0);
   NO_TAIL_CALL;
}

static void* run_thread(void* number)
{
   wait_for_stop(*(int*)number);
   return NULL;
}

int main(int argc, char** argv)
{
   pthread_t threads[MOST_THREADS];
   int numbers[MOST_THREADS];
   if (argc < 3)
      return 2;
   pid_path = argv[1];
   stop_path = argv[2];
   thread_count = argc > 3 ? atoi(argv[3]) : 0;
   if (thread_count < 0 || thread_count > MOST_THREADS)
      return 2;
   for (int i = 0; i < thread_count; i++) {
      numbers[i] = i + 1;
      if (pthread_create(&threads[i], NULL, run_thread, &numbers[i]) != 0)
         return 1;
   }
   volatile int last = 5; /* one call site, not five */
   for (int number = 1; number <= last; number++)
      step(number);
   for (int i = 0; i < thread_count; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
