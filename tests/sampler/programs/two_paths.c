/* SPDX-License-Identifier: GPL-2.0-or-later

   Two paths with known shares of the time, 60 frames deep: `dear` works three times as
   long as `cheap`, by turns, until some CPU time is used up.

      two_paths [MILLISECONDS [THREADS]]  */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 60

static volatile unsigned sink;

/* As many rounds in the mean: turns of equal length could keep step with the samples.  */
static __attribute__((noinline)) void work(unsigned rounds)
{
   static _Thread_local unsigned chance = 1;
   chance = chance * 1664525u + 1013904223u;
   rounds = rounds / 2 + (chance >> 8) % rounds;
   for (unsigned i = 0; i < rounds; i++)
      sink = sink * 1664525u + 1013904223u;
}

__attribute__((noinline)) void cheap_work(void) { work(20000); sink++; }
__attribute__((noinline)) void dear_work(void) { work(60000); sink++; }

__attribute__((noinline)) void cheap(unsigned depth)
{
   if (depth == 0)
      cheap_work();
   else
      cheap(depth - 1);
   sink++;
}

__attribute__((noinline)) void dear(unsigned depth)
{
   if (depth == 0)
      dear_work();
   else
      dear(depth - 1);
   sink++;
}

static long milliseconds;

static double cpu_time(void)
{
   struct timespec now;
   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
   return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

__attribute__((noinline)) void turns(void)
{
   double end = cpu_time() + (double)milliseconds;
   /* Where the clock is slow, asking each time would take some hundredths of it all.  */
   while (cpu_time() < end)
      for (unsigned i = 0; i < 10; i++) {
         cheap(DEPTH);
         dear(DEPTH);
      }
   sink++;
}

static void* thread(void* unused)
{
   turns();
   sink++;
   return unused;
}

int main(int count, char** arguments)
{
   pthread_t threads[16];
   int more = count > 2 ? atoi(arguments[2]) : 0;
   milliseconds = count > 1 ? atol(arguments[1]) : 1000;
   for (int i = 0; i < more && i < 16; i++)
      pthread_create(&threads[i], NULL, thread, NULL);
   if (more == 0)
      turns();
   for (int i = 0; i < more && i < 16; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
