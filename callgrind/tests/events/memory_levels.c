/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -O1
   A list is followed 20000 times, each step to another line and each needing the one
   before.  By where its lines are, if D1 has 32 KB, LL 8 MB, and the processor's second
   level 1 MB:

      in_first      256 lines side by side
      in_second     4096 lines side by side
      in_last       32768 lines side by side
      in_memory     262144 lines side by side, of which the last level has half
      in_pages      256 lines, each in a page of its own
      in_far_pages  4096 lines, the same: more pages than the translation buffers hold
*/

#include <stddef.h>
#include <sys/mman.h>

#define STEPS 20000
#define PAGE 4096
#define LINE 64

static char* memory;

/* A cycle through `n` places, `distance` apart, with steps of 1001 places.  */
static void link(size_t n, size_t distance)
{
   for (size_t i = 0; i < n; i++)
      *(void**)(memory + i * distance) = memory + (i + 1001) % n * distance;
}

static inline __attribute__((always_inline)) void* follow(void* at)
{
   for (int i = 0; i < STEPS; i++)
      at = *(void* volatile*)at;
   return at;
}

#define LEVEL(NAME, N, DISTANCE)                                                         \
   __attribute__((noinline)) static void* NAME(void* at) { return follow(at); }          \
   static void* run_##NAME(void)                                                         \
   {                                                                                     \
      link(N, DISTANCE);                                                                 \
      return NAME(follow(memory));                                                       \
   }
LEVEL(in_first, 256, LINE)
LEVEL(in_second, 4096, LINE)
LEVEL(in_last, 32768, LINE)
LEVEL(in_memory, 262144, LINE)
LEVEL(in_pages, 256, PAGE + LINE)
LEVEL(in_far_pages, 4096, PAGE + LINE)

int main(void)
{
   memory = mmap(NULL, 4200 * (PAGE + LINE), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   memory = (char*)(((size_t)memory + PAGE - 1) & -(size_t)PAGE);
   return run_in_first() == NULL || run_in_second() == NULL || run_in_last() == NULL ||
          run_in_memory() == NULL || run_in_pages() == NULL || run_in_far_pages() == NULL;
}
