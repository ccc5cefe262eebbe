/* SPDX-License-Identifier: GPL-2.0-or-later

   What waits count by callgrind/surroundings/wait_rule.h.  Each line of the input is one:

      KIND WELL PASSED LEFT     numbers as in wait_counts(); times in nanoseconds

   Prints what each counts.  */

#include "surroundings/wait_rule.h"

#include <stdio.h>

int main(void)
{
   unsigned kind, well;
   unsigned long long passed, left;
   while (scanf("%u %u %llu %llu", &kind, &well, &passed, &left) == 4)
      printf("%llu\n", wait_counts((WaitKind)kind, well != 0, passed, left));
   return 0;
}
