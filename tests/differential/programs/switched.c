/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Instrumentation switched off and on again between passes over the same bytes: the
   caches are cold at each START, and what runs in between is not seen.
*/

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define NOINLINE __attribute__((noinline))
#define BYTES 8192

static unsigned char bytes[BYTES] __attribute__((aligned(4096)));

static NOINLINE unsigned first_pass(unsigned length)
{
   unsigned sum = 0;
   for (unsigned i = 0; i < length; i += 16)
      sum += bytes[i]++;
   return sum;
}

static NOINLINE unsigned unseen_pass(unsigned length)
{
   unsigned sum = 0;
   for (unsigned i = 0; i < length; i += 16)
      sum += bytes[i]++;
   return sum;
}

static NOINLINE unsigned second_pass(unsigned length)
{
   unsigned sum = 0;
   for (unsigned i = 0; i < length; i += 16)
      sum += bytes[i]++;
   return sum;
}

int main(void)
{
   unsigned sum = 0;
   for (unsigned length = 512; length <= BYTES; length *= 2) {
      CALLGRIND_START_INSTRUMENTATION;
      sum += first_pass(length);
      sum += second_pass(length);
      CALLGRIND_STOP_INSTRUMENTATION;
      sum += unseen_pass(length);
      CALLGRIND_START_INSTRUMENTATION;
      sum += second_pass(length);
      CALLGRIND_STOP_INSTRUMENTATION;
   }
   printf("%u\n", sum);
   return EXIT_SUCCESS;
}
