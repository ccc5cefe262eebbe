/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Straight code with ways out in its middle: of 100 runs of sieve, 50 leave at its
   first exit, after 3 instructions, 25 at its second, after 6, and the others at its
   end, after 10; every fourth leaves by a conditional jump into another function.  copy
   moves 100 bytes with one repeated instruction.
*/

#include "known_cost.h"

#define EXACT OPAQUE NAKED void

KNOWN_COST(leaf, 10)

EXACT sieve(long n)
{
   __asm__("nop\n\ttest $1,%dil\n\tjnz 1f\n\tnop\n\ttest $2,%dil\n\tjnz leaf\n\t"
           "nop\n\tnop\n\tnop\n1:\tret");
}

EXACT copy(void* to, const void* from, long size)
{
   __asm__("mov %rdx,%rcx\n\trep movsb\n\tret");
}

int main(void)
{
   static char from[100], to[100];
   for (long i = 0; i < 100; i++)
      sieve(i);
   copy(to, from, sizeof from);
   return 0;
}
