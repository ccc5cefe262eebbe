/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Has constants that look like those which instrumentation has put into the host's code
   until VEX is done: marks of additions to memory (instrument/host/patch_points.c) and
   placeholders (instrument/host/code_relocations.c).  Each function has four instructions, and
   returns the constant that it has.
*/

#include <stdio.h>

#include "known_cost.h"

#if defined(__aarch64__)
#define RETURNS(NAME, HIGH, LOW)                                                         \
   OPAQUE unsigned NAME(void)                                                            \
   {                                                                                     \
      unsigned value;                                                                    \
      __asm__("mov %w0, #" #LOW "\n\tmovk %w0, #" #HIGH ", lsl #16\n\tnop"               \
              : "=r"(value));                                                            \
      return value;                                                                      \
   }
#else
#define RETURNS(NAME, HIGH, LOW)                                                         \
   OPAQUE NAKED unsigned NAME(void)                                                      \
   {                                                                                     \
      __asm__("mov $(" #HIGH " << 16 | " #LOW "), %eax\n\tnop\n\tnop\n\tret");           \
   }
#endif

RETURNS(first_mark, 0x5c00, 0x006d)
RETURNS(second_mark, 0x5c00, 0x016d)
RETURNS(no_mark, 0x5c00, 0xff6d)
RETURNS(first_placeholder, 0x5a00, 0x0069)
RETURNS(second_placeholder, 0x5a00, 0x0169)

int main(void)
{
   unsigned long sum = 0;
   for (int i = 0; i < 10; i++)
      sum += 0ul + first_mark() + second_mark() + no_mark() + first_placeholder() +
             second_placeholder();
   printf("%lx\n", sum);
   return 0;
}
