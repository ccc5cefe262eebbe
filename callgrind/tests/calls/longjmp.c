/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   longjmp out of 5 nested calls, from 3 rounds, and then ordinary calls from the function
   that was jumped to.
*/

#include <setjmp.h>

#include "known_cost.h"

static jmp_buf escape;

KNOWN_COST(leaf, 10)

OPAQUE static void deepest(void)
{
   leaf();
   longjmp(escape, 1);
}

OPAQUE static void descend(int n)
{
   if (n == 0)
      deepest();
   else
      descend(n - 1);
   NO_TAIL_CALL;
}

OPAQUE static void jumped_over(void)
{
   descend(3);
   NO_TAIL_CALL;
}

OPAQUE static void landing(void)
{
   if (setjmp(escape) == 0)
      jumped_over();
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   for (volatile int i = 0; i < 3; i++)
      landing();
   leaf();
   return 0;
}
