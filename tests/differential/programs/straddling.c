/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Loads and stores of 1, 2, 4, 8, 10, 16 and (with AVX) 32 bytes, each at every distance
   from the ends of lines of 16, 32 and 64 bytes, and across two pages: some touch one
   line, some two.  At the end some at addresses that the code names in full, and that do
   not fit in 32 bits.
*/

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline))
#define BYTES 16384

static unsigned char bytes[BYTES] __attribute__((aligned(8192)));

#define MOVE(size, load, store, scratch)                                               \
   static NOINLINE void move_##size(const unsigned char* from, unsigned char* to)      \
   {                                                                                   \
      __asm__ volatile(load "\n\t" store : : "r"(from), "r"(to) : "memory", scratch);  \
   }

MOVE(1, "movb (%0), %%al", "movb %%al, (%1)", "rax")
MOVE(2, "movw (%0), %%ax", "movw %%ax, (%1)", "rax")
MOVE(4, "movl (%0), %%eax", "movl %%eax, (%1)", "rax")
MOVE(8, "movq (%0), %%rax", "movq %%rax, (%1)", "rax")
MOVE(10, "fldt (%0)", "fstpt (%1)", "st")
MOVE(16, "movdqu (%0), %%xmm0", "movdqu %%xmm0, (%1)", "xmm0")
MOVE(32, "vmovdqu (%0), %%ymm0", "vmovdqu %%ymm0, (%1); vzeroupper", "xmm0")

typedef void Move(const unsigned char* from, unsigned char* to);

/* Forwards and backwards, so that either of two lines is the one that was used last. */
static NOINLINE void slide(Move* move)
{
   for (unsigned at = 0; at < 160; at++)
      move(bytes + at, bytes + 8192 - 80 + at);
   for (unsigned at = 160; at-- > 0;)
      move(bytes + 8192 - 80 + at, bytes + at);
}

/* Two lines at once of two sets, then each alone. */
static NOINLINE void straddle_far(Move* move, unsigned size)
{
   for (unsigned line = 64; line + 64 < BYTES / 2; line += 64) {
      move(bytes + line - size / 2, bytes + BYTES / 2 + line - size / 2);
      move(bytes + line, bytes + BYTES / 2 + line - size);
   }
}

static NOINLINE void move_with(Move* move, unsigned size)
{
   slide(move);
   straddle_far(move, size);
}

/* By turns with others of the same sets. */
static NOINLINE void touch_high(void)
{
   volatile unsigned long* high = (void*)0xA00000000;
   if (mmap((void*)high, 65536, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void*)high)
      exit(1);
   for (unsigned i = 0; i < 500; i++) {
      __asm__ volatile("movabs 0xA0000003C, %%rax; movabs %%rax, 0xA00001000"
                       :
                       :
                       : "rax", "memory");
      high[i % 64 * 8] += high[4096];
   }
}

int main(void)
{
   unsigned sum = 0;
   for (unsigned i = 0; i < BYTES; i++)
      bytes[i] = (unsigned char)(i * 7);
   move_with(move_1, 1);
   move_with(move_2, 2);
   move_with(move_4, 4);
   move_with(move_8, 8);
   move_with(move_10, 10);
   move_with(move_16, 16);
   if (__builtin_cpu_supports("avx"))
      move_with(move_32, 32);
   touch_high();
   for (unsigned i = 0; i < BYTES; i++)
      sum = sum * 31 + bytes[i];
   printf("%u\n", sum);
   return EXIT_SUCCESS;
}
