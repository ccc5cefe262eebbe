/* SPDX-License-Identifier: GPL-2.0-or-later

   Two threads that pass a byte to and fro, and work a little before each time, for
   measure.py: hardly any program's threads get a processor more often.  Tells of each
   round of 200 passes when it began and its CPU time, of both threads, in seconds.

      byte_to_and_fro [ROUNDS]  */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PASSES 200
#define WORK 1000

static int there[2], back[2];

static double seconds(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void work(void)
{
   for (volatile int i = 0; i < WORK; i++)
      continue;
}

static bool pass(int pipe)
{
   char byte = 0;
   work();
   return write(pipe, &byte, 1) == 1;
}

static bool wait_for(int pipe)
{
   char byte;
   return read(pipe, &byte, 1) == 1;
}

static void* answer(void* unused)
{
   while (wait_for(there[0]) && pass(back[1]))
      continue;
   return unused;
}

int main(int count, char** arguments)
{
   int rounds = count > 1 ? atoi(arguments[1]) : 1000;
   pthread_t other;
   if (pipe(there) != 0 || pipe(back) != 0 ||
       pthread_create(&other, NULL, answer, NULL) != 0)
      return 1;
   for (int round = 0; round < rounds; round++) {
      double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
      for (int i = 0; i < PASSES / 2; i++) {
         if (!pass(there[1]) || !wait_for(back[0]))
            return 1;
      }
      printf("%.6f %.6f\n", began, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
   }
   close(there[1]);
   pthread_join(other, NULL);
   return 0;
}
