/* SPDX-License-Identifier: GPL-2.0-or-later

   While a program makes system calls and does hardly anything between, its code is
   translated, which takes less; and natively run again when it does more.  START and STOP
   count what is between in both.

   Which is which is seen by a sum that needs the x87's 80 bits: translated code has 64.  */

#include <stdio.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(between, 10)

/* In pages without client requests, which fall back.  */
#define APART __attribute__((noinline, section("apart"), aligned(4096)))

APART static int runs_natively(void)
{
   volatile long double one = 1, little = 1e-18L;
   return one + little != one;
}

APART static void make_calls(void)
{
   for (int i = 0; i < 1000; i++)
      lseek(-1, 0, SEEK_SET);
}

static volatile unsigned sum;

APART static void compute(void)
{
   for (unsigned i = 0; i < 100000; i++)
      sum += i;
}

/* Calls `do_it` until code runs natively, or does not; a thousand times as often as it
   should take.  */
static int until(int natively, void (*do_it)(void))
{
   for (int i = 0; i < 20000; i++) {
      do_it();
      if (runs_natively() == natively)
         return 1;
   }
   return 0;
}

static __attribute__((noinline)) void count(void)
{
   for (int i = 0; i < 20; i++) {
      CALLGRIND_START_INSTRUMENTATION;
      between();
      CALLGRIND_STOP_INSTRUMENTATION;
   }
}

int main(void)
{
   printf("at first: %s\n", runs_natively() ? "native" : "translated");
   for (int i = 0; i < 2; i++) {
      printf("many calls: %s\n", until(0, make_calls) ? "translated" : "native");
      count();
      printf("few calls: %s\n", until(1, compute) ? "native" : "translated");
      count();
   }
   return 0;
}
