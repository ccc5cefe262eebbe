/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   What a program sees of the processor: prints CPUID and XGETBV, how much XSAVE writes,
   and whether registers that the core knows less of survive system calls, START and STOP:
   80 bits of the x87, MXCSR, the flags.  Its answers while instrumentation is off are the
   same as while it is on.  */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "callgrind.h"

static void ask(uint32_t leaf, uint32_t sub_leaf, uint32_t answer[4])
{
   __asm__ volatile("cpuid"
                    : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
                    : "a"(leaf), "c"(sub_leaf));
}

static uint64_t components(void)
{
   uint32_t low, high;
   __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
   return (uint64_t)high << 32 | low;
}

/* The last byte that XSAVE writes of all components.  */
static long written(void)
{
   static unsigned char area[16384] __attribute__((aligned(64)));
   long last = sizeof area - 1;
   memset(area, 0x5a, sizeof area);
   memset(area + 512, 0, 64);
   __asm__ volatile("xsave %0" : "+m"(area) : "a"(~0u), "d"(~0u));
   while (area[last] == 0x5a)
      last--;
   return last;
}

static int told[64];
static int n_told;

static void tell(int answer) { told[n_told++] = answer; }

__attribute__((noinline)) static void look(void)
{
   static const uint32_t leaves[][2] = {{0, 0}, {1, 0}, {7, 0}, {0xd, 0}, {0xd, 1}};
   n_told = 0;
   for (unsigned i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
      uint32_t answer[4];
      ask(leaves[i][0], leaves[i][1], answer);
      for (int j = 0; j < 4; j++)
         /* The number of the processor that runs is in this one.  */
         tell((int)(i == 1 && j == 1 ? answer[j] & 0xffffff : answer[j]));
   }
   tell((int)components());
   tell(written() < 4096);
}

static long double kept = 0.1L;

/* Each return to this page counts: code that has a client request in its page runs natively
   when it has run for a while.  */
static void warm_up(void)
{
   for (int i = 0; i < 1000; i++)
      getppid();
}

/* A number that has more bits than a double, in a register of the x87 over system calls
   and client requests.  */
__attribute__((noinline)) static int survives(void)
{
   uint32_t mxcsr = 0xffc0 & ~0x6000u, after; /* flush to zero, denormals are zero */
   uint64_t flags, flags_after;
   long double back;
   __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
   __asm__ volatile("fldt %0" : : "m"(kept));
   __asm__ volatile("stc; std; pushfq; popq %0; cld" : "=r"(flags) : : "cc");
   getppid();
   for (volatile int i = 0; i < 3; i++)
      getuid();
   __asm__ volatile("fstpt %0" : "=m"(back));
   __asm__ volatile("stmxcsr %0" : "=m"(after));
   mxcsr = 0x1f80;
   __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
   __asm__ volatile("stc; std; pushfq; popq %0; cld" : "=r"(flags_after) : : "cc");
   const uint64_t set_here = 0x401; /* carry and direction */
   flags = (flags ^ flags_after) & set_here;
   return (back == kept) + 2 * (flags == 0) + 4 * ((after >> 15 & 1) == 1);
}

int main(void)
{
   int off[64];
   look();
   warm_up();
   look();
   memcpy(off, told, sizeof off);
   printf("off: survive %d\n", survives());
   look();
   printf("natively: %s\n", memcmp(off, told, sizeof off) == 0 ? "same" : "other");
   CALLGRIND_START_INSTRUMENTATION;
   look();
   CALLGRIND_STOP_INSTRUMENTATION;
   for (int i = 0; i < n_told; i++)
      if (off[i] != told[i])
         printf("answer %d: %x off, %x on\n", i, (unsigned)off[i], (unsigned)told[i]);
   look();
   printf("after: %s\n", memcmp(off, told, sizeof off) == 0 ? "same" : "other answers");
   return 0;
}
