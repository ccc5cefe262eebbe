/* SPDX-License-Identifier: GPL-2.0-or-later
   Benchmark program: calls and returns, and next to nothing else.

   fib N    prints the N-th Fibonacci number, computed by naive recursion.

   The worst case for a call-graph profiler: about ten instructions between one
   transition and the next. It relies on being compiled without inlining and
   without turning recursion into loops; the workload table has the flags. */

#include <stdio.h>
#include <stdlib.h>

static unsigned long fibonacci(unsigned int n)
{
   if (n < 2)
      return n;
   return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char** argv)
{
   if (argc != 2) {
      fprintf(stderr, "usage: fib N\n");
      return 2;
   }
   printf("%lu\n", fibonacci((unsigned int)strtoul(argv[1], NULL, 10)));
   return 0;
}
