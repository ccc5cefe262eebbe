/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads that work in rounds, and wait for each other after each, for measure.py.  Tells
   of each round when it began and its CPU time, of all threads, in seconds.

      threads [THREADS [ROUNDS]]  */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NUMBERS 4000
#define MOST_THREADS 64

static pthread_barrier_t all;
static int rounds = 1000;
static long smallest[MOST_THREADS];

static double seconds(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void* a, const void* b)
{
   unsigned first, second;
   memcpy(&first, a, sizeof first);
   memcpy(&second, b, sizeof second);
   return first < second ? -1 : first > second;
}

static long one_round(unsigned seed)
{
   unsigned numbers[NUMBERS];
   for (int i = 0; i < NUMBERS; i++)
      numbers[i] = seed = seed * 1664525 + 1013904223;
   qsort(numbers, NUMBERS, sizeof numbers[0], compare);
   return numbers[0];
}

static void wait_for_all(void) { pthread_barrier_wait(&all); }

static void* work(void* place)
{
   for (int round = 0; round < rounds; round++) {
      wait_for_all();
      *(long*)place += one_round((unsigned)round);
      wait_for_all();
   }
   return NULL;
}

int main(int count, char** arguments)
{
   pthread_t threads[MOST_THREADS];
   int n = count > 1 ? atoi(arguments[1]) : 4;
   if (count > 2)
      rounds = atoi(arguments[2]);
   if (n < 1 || n > MOST_THREADS)
      return 2;
   pthread_barrier_init(&all, NULL, (unsigned)n + 1);
   for (int i = 0; i < n; i++) {
      if (pthread_create(&threads[i], NULL, work, &smallest[i]) != 0)
         return 1;
   }
   for (int round = 0; round < rounds; round++) {
      double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
      wait_for_all();
      wait_for_all();
      printf("%.6f %.6f\n", began, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
   }
   for (int i = 0; i < n; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
