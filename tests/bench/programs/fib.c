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
   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char** argv)
{
   printf("%lu\n", fibonacci(argc == 2 ? (unsigned int)atoi(argv[1]) : 0));
   return 0;
}
