/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Walks over memory that a cache likes, and such that it does not: strides from one byte
   to a page, each twice; rows and columns of a matrix; a chain through a shuffled array;
   code in many lines.  Sizes lie below and above those of the caches of the tests.
*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define BYTES (192 * 1024)
#define SIDE 96
#define LINKS 3000

static unsigned char bytes[BYTES] __attribute__((aligned(4096)));
static int matrix[SIDE][SIDE];
static uint32_t next_of[LINKS];

static NOINLINE unsigned read_with_stride(unsigned stride, unsigned length)
{
   unsigned sum = 0;
   for (unsigned pass = 0; pass < 2; pass++)
      for (unsigned i = 0; i < length; i += stride)
         sum += bytes[i];
   return sum;
}

static NOINLINE void write_with_stride(unsigned stride, unsigned length)
{
   for (unsigned i = 0; i < length; i += stride)
      bytes[i] = (unsigned char)(i / stride);
}

static NOINLINE int sum_of_rows(void)
{
   int sum = 0;
   for (unsigned row = 0; row < SIDE; row++)
      for (unsigned column = 0; column < SIDE; column++)
         sum += matrix[row][column]++;
   return sum;
}

static NOINLINE int sum_of_columns(void)
{
   int sum = 0;
   for (unsigned column = 0; column < SIDE; column++)
      for (unsigned row = 0; row < SIDE; row++)
         sum += matrix[row][column]++;
   return sum;
}

static uint32_t state = 2463534242u;

static uint32_t random_number(void)
{
   state ^= state << 13;
   state ^= state >> 17;
   state ^= state << 5;
   return state;
}

static NOINLINE void shuffle_chain(void)
{
   for (uint32_t i = 0; i < LINKS; i++)
      next_of[i] = i;
   for (uint32_t i = LINKS - 1; i > 0; i--) { /* Sattolo: one circle through all */
      uint32_t j = random_number() % i, kept = next_of[i];
      next_of[i] = next_of[j];
      next_of[j] = kept;
   }
}

static NOINLINE uint32_t follow_chain(unsigned steps)
{
   uint32_t at = 0;
   while (steps-- > 0)
      at = next_of[at];
   return at;
}

static NOINLINE unsigned touch_at_random(unsigned times)
{
   unsigned sum = 0;
   while (times-- > 0) {
      uint32_t at = random_number() % (BYTES - 8);
      sum += *(uint16_t*)(void*)(bytes + at);
      if (at % 3 == 0)
         *(uint64_t*)(void*)(bytes + at) = sum;
   }
   return sum;
}

/* Code of some lines each, called in turns: more than a small instruction cache holds. */
#define STEP(n) sum = sum * 31 + (sum >> 3) + (n); sum ^= sum << (1 + (n) % 7);
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5)
#define LONG_CODE(name, n)                                                             \
   static NOINLINE unsigned name(unsigned sum)                                         \
   {                                                                                   \
      STEPS(n) STEPS(n + 6) STEPS(n + 12) return sum;                                  \
   }
LONG_CODE(code_a, 1)
LONG_CODE(code_b, 101)
LONG_CODE(code_c, 201)
LONG_CODE(code_d, 301)

int main(void)
{
   static const unsigned strides[] = {1, 4, 31, 32, 33, 64, 96, 128, 1024, 4096};
   unsigned sum = 0;
   for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
      unsigned length = strides[i] < 32 ? 8 * 1024 : BYTES;
      write_with_stride(strides[i], length);
      sum += read_with_stride(strides[i], length);
      sum += read_with_stride(strides[i], 400);
   }
   printf("%u\n", sum);
   printf("%d %d\n", sum_of_rows(), sum_of_columns());
   shuffle_chain();
   printf("%u\n", (unsigned)follow_chain(2 * LINKS + 5));
   printf("%u\n", touch_at_random(4000));
   for (unsigned i = 0; i < 50; i++)
      sum = code_d(code_b(code_c(code_a(sum))));
   printf("%u\n", sum);
   return EXIT_SUCCESS;
}
