/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The string instructions with their repetitions: none, one, many; by bytes, words, double
   and quad words; upwards and downwards; to the end, and stopped by what is found.
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define BYTES 4096

static unsigned char from[BYTES] __attribute__((aligned(64)));
static unsigned char to[BYTES] __attribute__((aligned(64)));

#define MOVE_AND_STORE(letter)                                                         \
   static NOINLINE void move_##letter(size_t count)                                    \
   {                                                                                   \
      void *d = to + 3, *s = from + 5;                                                 \
      __asm__ volatile("rep movs" #letter : "+D"(d), "+S"(s), "+c"(count) : : "memory"); \
   }                                                                                   \
   static NOINLINE void store_##letter(size_t count)                                   \
   {                                                                                   \
      void* d = to + 7;                                                                \
      __asm__ volatile("rep stos" #letter : "+D"(d), "+c"(count) : "a"(0x2dul) : "memory"); \
   }
MOVE_AND_STORE(b)
MOVE_AND_STORE(w)
MOVE_AND_STORE(l)
MOVE_AND_STORE(q)

#define COMPARE_AND_SCAN(letter)                                                       \
   static NOINLINE size_t compare_##letter(size_t count)                               \
   {                                                                                   \
      void *d = to + 64, *s = from + 64;                                               \
      __asm__ volatile("cmp %2, %2; repe cmps" #letter                                 \
                       : "+D"(d), "+S"(s), "+c"(count) : : "memory", "cc");            \
      return count;                                                                    \
   }                                                                                   \
   static NOINLINE size_t scan_##letter(size_t count)                                  \
   {                                                                                   \
      void* d = from + 1;                                                              \
      __asm__ volatile("test %%rsp, %%rsp; repne scas" #letter                         \
                       : "+D"(d), "+c"(count) : "a"(0ul) : "memory", "cc");            \
      return count;                                                                    \
   }
COMPARE_AND_SCAN(b)
COMPARE_AND_SCAN(w)
COMPARE_AND_SCAN(l)
COMPARE_AND_SCAN(q)

static NOINLINE void move_downwards(size_t count)
{
   void *d = to + BYTES - 1, *s = from + BYTES - 1;
   __asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(count) : : "memory");
}

/* Without a repetition. */
static NOINLINE unsigned long single(void)
{
   void *d = to + 61, *s = from + 62;
   unsigned long loaded = 0;
   __asm__ volatile("movsq; lodsq; stosq; lodsl; stosl"
                    : "+D"(d), "+S"(s), "+a"(loaded) : : "memory");
   return loaded;
}

static NOINLINE size_t run_all(size_t count)
{
   size_t left = 0;
   move_b(count), move_w(count), move_l(count), move_q(count);
   store_b(count), store_w(count), store_l(count), store_q(count);
   memcpy(to + 64, from + 64, 300);
   left += compare_b(count) + compare_w(count) + compare_l(count) + compare_q(count);
   left += scan_b(count) + scan_w(count) + scan_l(count) + scan_q(count);
   move_downwards(count);
   return left;
}

int main(void)
{
   static const size_t counts[] = {0, 1, 2, 63, 500};
   for (unsigned i = 0; i < BYTES; i++)
      from[i] = (unsigned char)(i % 251 + 1);
   size_t left = 0;
   for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++)
      left = left * 3 + run_all(counts[i]);
   from[99] = 0;
   memset(from + 200, 0, 16);
   to[150] ^= 1;
   left += run_all(400);
   printf("%zu %lu %d\n", left, single(), to[BYTES - 300]);
   return EXIT_SUCCESS;
}
