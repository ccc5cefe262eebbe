/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Loads and stores that are made under a condition: conditional moves from memory (which
   load in any case), and the masked moves of AVX and AVX2, with every mask, within a line
   and across two; and gathers.
*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define BYTES 8192

static unsigned char from[BYTES] __attribute__((aligned(4096)));
static unsigned char to[BYTES] __attribute__((aligned(4096)));
static uint64_t masks[16][4] __attribute__((aligned(32)));
static uint32_t masks_of_words[16][8] __attribute__((aligned(32)));

static NOINLINE long move_if(long condition, const unsigned char* at)
{
   long result = 1;
   __asm__ volatile("testq %1, %1\n\t"
                    "cmovneq (%2), %0\n\t"
                    "cmovel 64(%2), %k0\n\t"
                    "cmovnew 3(%2), %w0\n\t"
                    : "+r"(result) : "r"(condition), "r"(at) : "cc", "memory");
   return result;
}

static NOINLINE void masked_doubles(const void* mask, const void* source, void* target)
{
   __asm__ volatile("vmovdqa (%0), %%ymm1\n\t"
                    "vmaskmovpd (%1), %%ymm1, %%ymm0\n\t"
                    "vmaskmovpd %%ymm0, %%ymm1, (%2)\n\t"
                    "vmaskmovpd (%1), %%xmm1, %%xmm0\n\t"
                    "vmaskmovpd %%xmm0, %%xmm1, (%2)\n\t"
                    "vzeroupper"
                    : : "r"(mask), "r"(source), "r"(target)
                    : "memory", "xmm0", "xmm1");
}

static NOINLINE void masked_floats(const void* mask, const void* source, void* target)
{
   __asm__ volatile("vmovdqa (%0), %%ymm1\n\t"
                    "vmaskmovps (%1), %%ymm1, %%ymm0\n\t"
                    "vmaskmovps %%ymm0, %%ymm1, (%2)\n\t"
                    "vzeroupper"
                    : : "r"(mask), "r"(source), "r"(target)
                    : "memory", "xmm0", "xmm1");
}

static NOINLINE void masked_quads(const void* mask, const void* source, void* target)
{
   __asm__ volatile("vmovdqa (%0), %%ymm1\n\t"
                    "vpmaskmovq (%1), %%ymm1, %%ymm0\n\t"
                    "vpmaskmovq %%ymm0, %%ymm1, (%2)\n\t"
                    "vzeroupper"
                    : : "r"(mask), "r"(source), "r"(target)
                    : "memory", "xmm0", "xmm1");
}

static NOINLINE void masked_words(const void* mask, const void* source, void* target)
{
   __asm__ volatile("vmovdqa (%0), %%ymm1\n\t"
                    "vpmaskmovd (%1), %%ymm1, %%ymm0\n\t"
                    "vpmaskmovd %%ymm0, %%ymm1, (%2)\n\t"
                    "vzeroupper"
                    : : "r"(mask), "r"(source), "r"(target)
                    : "memory", "xmm0", "xmm1");
}

static NOINLINE void gather(const void* mask, const void* indices, const void* source)
{
   __asm__ volatile("vmovdqa (%0), %%ymm1\n\t"
                    "vmovdqu (%1), %%ymm2\n\t"
                    "vpgatherdd %%ymm1, (%2,%%ymm2,4), %%ymm0\n\t"
                    "vzeroupper"
                    : : "r"(mask), "r"(indices), "r"(source)
                    : "memory", "xmm0", "xmm1", "xmm2");
}

static NOINLINE void with_mask(unsigned mask, int has_avx2)
{
   static const uint32_t indices[8] = {0, 15, 16, 17, 100, 500, 501, 1000};
   for (unsigned line = 64; line < 1024; line += 64) {
      masked_doubles(masks[mask], from + line, to + line);
      masked_doubles(masks[mask], from + line - 20, to + line - 12);
      masked_floats(masks_of_words[mask], from + line - 9, to + line - 14);
      if (has_avx2) {
         masked_quads(masks[mask], from + line - 17, to + line - 9);
         masked_words(masks_of_words[mask], from + line + 2048, to + line - 4);
      }
   }
   if (has_avx2)
      gather(masks_of_words[mask], indices, from);
}

int main(void)
{
   unsigned sum = 0;
   for (unsigned i = 0; i < BYTES; i++)
      from[i] = (unsigned char)(i * 13);
   for (unsigned mask = 0; mask < 16; mask++)
      for (unsigned bit = 0; bit < 8; bit++) {
         uint64_t set = mask >> (bit % 4) & 1 ? UINT64_MAX : 0;
         masks[mask][bit % 4] = set;
         masks_of_words[mask][bit] = (uint32_t)set;
      }
   for (unsigned i = 0; i < 40; i++)
      sum += (unsigned)move_if(i % 3, from + 100 * i);
   if (__builtin_cpu_supports("avx"))
      for (unsigned mask = 0; mask < 16; mask++)
         with_mask(mask, __builtin_cpu_supports("avx2"));
   for (unsigned i = 0; i < BYTES; i++)
      sum = sum * 31 + to[i];
   printf("%u\n", sum);
   return EXIT_SUCCESS;
}
