/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Threads whose instruction counts do not depend on how they are scheduled.

   pthread_join takes a longer way when it has to wait, and a race would decide whether
   it has to.  So main sleeps, in one system call, until each thread has ended for
   certain, and runs no thread beside another.
*/

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define THREADS 3

static NOINLINE long fibonacci(long n)
{
   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE long sum_of(long n)
{
   long sum = 0;
   for (long i = 0; i < n; i++)
      sum += fibonacci(i % 6);
   return sum;
}

static void *work(void *argument)
{
   long *cell = argument;
   *cell = sum_of(*cell);
   return NULL;
}

int main(void)
{
   long cells[THREADS] = {40, 60, 80};
   for (int i = 0; i < THREADS; i++) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, work, &cells[i]) != 0)
         return EXIT_FAILURE;
      const struct timespec plenty = {.tv_sec = 0, .tv_nsec = 300000000};
      nanosleep(&plenty, NULL);
      pthread_join(thread, NULL);
   }
   printf("%ld %ld %ld %ld\n", cells[0], cells[1], cells[2], sum_of(100));
   return EXIT_SUCCESS;
}
