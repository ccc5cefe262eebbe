/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a hardware prefetcher; see prefetch.h.  */

#include "sim/prefetch.h"

#define PAGE_BITS 12
#define STEPS_NEEDED 2
#define LINES_AHEAD 5

void prefetch_empty(Prefetcher* prefetcher)
{
   for (int i = 0; i < PREFETCH_STREAMS; i++) {
      prefetcher->blocks[i] = 0;
      prefetcher->steps[i] = 0;
   }
}

/* A stream that turns round has made no step yet; one that stays where it is goes on.  */
static int32_t steps_after(int32_t steps, intptr_t distance)
{
   /* Ever more steps mean nothing more, but must not overflow.  */
   if (distance == 1 && steps >= 0)
      return steps < STEPS_NEEDED ? steps + 1 : steps;
   if (distance == -1 && steps <= 0)
      return steps > -STEPS_NEEDED ? steps - 1 : steps;
   return distance == 0 ? steps : 0;
}

bool prefetch_watch(Prefetcher* prefetcher, uintptr_t address, uint32_t line_bits,
                    uintptr_t* ahead)
{
   uintptr_t stream = (address >> PAGE_BITS) % PREFETCH_STREAMS;
   uintptr_t block = address >> line_bits;
   intptr_t distance = (intptr_t)(block - prefetcher->blocks[stream]);
   int32_t steps = steps_after(prefetcher->steps[stream], distance);
   prefetcher->blocks[stream] = block;
   prefetcher->steps[stream] = steps;
   bool is_up = distance == 1 && steps >= STEPS_NEEDED;
   bool is_down = distance == -1 && steps <= -STEPS_NEEDED;
   if (is_up || is_down)
      *ahead = (is_up ? block + LINES_AHEAD : block - LINES_AHEAD) << line_bits;
   return is_up || is_down;
}

CacheOutcome prefetch_access_last(LastLevel* last, Prefetcher* prefetcher,
                                  uintptr_t address, uint32_t size)
{
   /* In time for this very access, if it crosses into a line that is brought in.  */
   uintptr_t ahead;
   if (prefetch_watch(prefetcher, address, last->line_bits, &ahead))
      lastlevel_touch(last, ahead, 1);
   return lastlevel_access(last, address, size);
}
