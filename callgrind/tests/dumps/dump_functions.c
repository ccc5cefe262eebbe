/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   outer calls inner twice; inner calls leaf once, then twice.  Then again.  count calls
   itself, two levels deep.  With an argument:

      jump   outer is left by longjmp, the first time
      exit   the program ends in inner
      tail   jumps_on jumps to leaf, twice; nothing else
*/

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static jmp_buf out;

OPAQUE static void inner(int n, int how)
{
   for (int i = 0; i < n; i++)
      leaf();
   if (how == 'j')
      longjmp(out, 1);
   if (how == 'e')
      exit(0);
}

OPAQUE static void outer(int how)
{
   inner(1, 0);
   inner(2, how);
   NO_TAIL_CALL;
}

OPAQUE static void count(int n)
{
   leaf();
   if (n > 0)
      count(n - 1);
   NO_TAIL_CALL;
}

OPAQUE __attribute__((naked)) void jumps_on(void) { __asm__("nop\n\tjmp leaf"); }

int main(int argc, char** argv)
{
   int how = argc > 1 ? argv[1][0] : 0;
   if (how == 't') {
      jumps_on();
      jumps_on();
      return 0;
   }
   if (setjmp(out) == 0)
      outer(how);
   outer(0);
   count(2);
   return 0;
}
