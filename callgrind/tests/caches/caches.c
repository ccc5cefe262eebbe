/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Functions whose accesses to data are known, for caches of 64-byte lines:

      cold, warm   a load from each of 32 lines, the same ones
      straddle     8 loads, each from two lines
      modify       8 additions to memory, each in a line of its own
      swap         8 atomic exchanges, the same

   Each reads its return address as well, from a line that its call has just written.

   The argument says how they are called:

      known       one after the other
      switched    cold; unseen, with instrumentation off; warm
      uncollected cold, with collection off; warm
      by_way      cold, by way of a function that does nothing else; warm
*/

#include <string.h>

#include "callgrind.h"

#include "known_cost.h"

/* Each begins at a set 0, and is as long as a way of 32 sets.  */
#define WAY 2048
__attribute__((aligned(WAY))) char lines[WAY];
__attribute__((aligned(WAY))) char borders[WAY];
__attribute__((aligned(WAY))) char sums[WAY];
__attribute__((aligned(WAY))) char swapped[WAY];

/* OPERATION, COUNT times, with %rdi at FROM, then STEP further each time.  */
#define REPEAT(FROM, COUNT, STEP, OPERATION)                                             \
   __asm__ volatile("leaq " FROM "(%%rip), %%rdi\n\t"                                    \
                    "movl $" #COUNT ", %%ecx\n"                                          \
                    "1:\t" OPERATION "\n\t"                                              \
                    "addq $" #STEP ", %%rdi\n\t"                                         \
                    "decl %%ecx\n\t"                                                     \
                    "jnz 1b"                                                             \
                    :                                                                    \
                    :                                                                    \
                    : "rax", "rcx", "rdi", "memory", "cc")

OPAQUE void cold(void) { REPEAT("lines", 32, 64, "movb (%%rdi), %%al"); }
OPAQUE void warm(void) { REPEAT("lines", 32, 64, "movb (%%rdi), %%al"); }
OPAQUE void unseen(void) { REPEAT("lines", 32, 64, "movb (%%rdi), %%al"); }
OPAQUE void straddle(void) { REPEAT("borders + 60", 8, 128, "movq (%%rdi), %%rax"); }
OPAQUE void modify(void) { REPEAT("sums", 8, 64, "addl $3, (%%rdi)"); }
OPAQUE void swap(void) { REPEAT("swapped", 8, 64, "lock cmpxchgl %%eax, (%%rdi)"); }

OPAQUE void by_way(void)
{
   cold();
   NO_TAIL_CALL;
}

/* Writes where its caller's next callees put their return addresses: wherever the stack
   begins, these then are not the first to use a line.  */
OPAQUE void touch_stack(void)
{
   volatile char used[256];
   for (unsigned at = 0; at < sizeof used; at++)
      used[at] = 0;
}

OPAQUE void known(void)
{
   cold();
   warm();
   straddle();
   modify();
   swap();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   const char* way = argc == 2 ? argv[1] : "known";
   if (strcmp(way, "known") == 0) {
      known();
   } else if (strcmp(way, "switched") == 0) {
      CALLGRIND_START_INSTRUMENTATION;
      cold();
      CALLGRIND_STOP_INSTRUMENTATION;
      unseen();
      CALLGRIND_START_INSTRUMENTATION;
      warm();
      CALLGRIND_STOP_INSTRUMENTATION;
   } else if (strcmp(way, "uncollected") == 0) {
      CALLGRIND_TOGGLE_COLLECT;
      cold();
      CALLGRIND_TOGGLE_COLLECT;
      warm();
   } else if (strcmp(way, "by_way") == 0) {
      touch_stack();
      by_way();
      warm();
   } else {
      return 1;
   }
   return 0;
}
