/* SPDX-License-Identifier: GPL-2.0-or-later

   Works where the stack is shallow, then where it is deep (over 30 KB), three times.  */

#include <time.h>

static volatile unsigned sink;

static void work(double how_long)
{
   clock_t end = clock() + (clock_t)(how_long * CLOCKS_PER_SEC);
   while (clock() < end) {
      for (int i = 0; i < 20000; i++)
         sink = sink * 1664525u + 1013904223u;
   }
}

__attribute__((noinline)) void shallow(void)
{
   work(0.3);
   sink++;
}

__attribute__((noinline)) void deep(void)
{
   work(0.8);
   sink++;
}

__attribute__((noinline, noclone)) void descend(int levels)
{
   volatile char room[100];
   room[levels % 100] = 0;
   if (levels == 0)
      deep();
   else
      descend(levels - 1);
   sink += room[0];
}

int main(void)
{
   for (int i = 0; i < 3; i++) {
      shallow();
      descend(300);
   }
   return 0;
}
