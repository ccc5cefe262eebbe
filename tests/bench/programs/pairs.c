/* SPDX-License-Identifier: GPL-2.0-or-later

   Benchmark program: pairs of START and STOP with next to nothing between them.

       pairs N    N pairs  */

#include <stdio.h>
#include <stdlib.h>

#include "callgrind.h"

static volatile long counted;

/* The distribution's callgrind counts nothing of the code right before a STOP, so there
   must be some before that.  */
__attribute__((noinline)) static void count(void) { counted++; }

int main(int argc, char** argv)
{
   for (long left = argc == 2 ? atol(argv[1]) : 0; left > 0; left--) {
      CALLGRIND_START_INSTRUMENTATION;
      count();
      CALLGRIND_STOP_INSTRUMENTATION;
   }
   printf("%ld\n", counted);
   return 0;
}
