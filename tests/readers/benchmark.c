/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   A benchmark as CodSpeed's integrations run it: names itself, then measures each of two
   functions, some calls below main, and dumps it under its own name.
*/

#include <stdio.h>
#include <unistd.h>

#include "callgrind.h"

#define OPAQUE __attribute__((noipa))

OPAQUE static int leaf(int n) { return n + 1; }

OPAQUE static int first_benchmark(void)
{
   int sum = 0;
   for (int i = 0; i < 10; i++)
      sum = leaf(sum);
   return sum;
}

OPAQUE static int second_benchmark(void) { return leaf(leaf(0)); }

OPAQUE static int measure(int (*benchmark)(void), const char* name)
{
   char text[64];
   CALLGRIND_ZERO_STATS;
   CALLGRIND_START_INSTRUMENTATION;
   int sum = benchmark();
   CALLGRIND_STOP_INSTRUMENTATION;
   snprintf(text, sizeof text, "Benchmark pid: %d", (int)getpid());
   CALLGRIND_ADD_DESC(text);
   CALLGRIND_DUMP_STATS_AT(name);
   return sum;
}

OPAQUE static int run_all(void)
{
   return measure(first_benchmark, "benchmark.c::first") +
          measure(second_benchmark, "benchmark.c::second");
}

int main(void)
{
   CALLGRIND_DUMP_STATS_AT("Metadata: integration 1.0");
   return run_all() == 12 ? 0 : 1;
}
