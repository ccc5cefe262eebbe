/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a hardware prefetcher; see prefetch.h.  */

#include "sim/prefetch.h"

#define PAGE_BITS 12
#define STEPS_NEEDED 2
#define LINES_AHEAD 5

void prefetch_empty(Prefetcher* prefetcher)
{
   for (int i = 0; i < PREFETCH_STREAMS; i++) {
      prefetcher->lines[i] = 0;
      prefetcher->steps[i] = 0;
   }
}

/* The number of steps after one of `distance` lines.  A stream that turns round begins at
   0 again; one that stays in its line keeps its steps.  Steps stop counting at
   STEPS_NEEDED, so they cannot overflow.  */
static int32_t steps_after(int32_t steps, intptr_t distance)
{
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
   uintptr_t line = address >> line_bits;
   intptr_t distance = (intptr_t)(line - prefetcher->lines[stream]);
   int32_t steps = steps_after(prefetcher->steps[stream], distance);
   prefetcher->lines[stream] = line;
   prefetcher->steps[stream] = steps;
   bool is_up = distance == 1 && steps >= STEPS_NEEDED;
   bool is_down = distance == -1 && steps <= -STEPS_NEEDED;
   if (is_up || is_down)
      *ahead = (is_up ? line + LINES_AHEAD : line - LINES_AHEAD) << line_bits;
   return is_up || is_down;
}

CacheOutcome prefetch_access_last(LastLevel* last, Prefetcher* prefetcher,
                                  uintptr_t address, uint32_t size)
{
   /* Before the access itself, which may cross into the line that is brought in.  */
   uintptr_t ahead;
   if (prefetch_watch(prefetcher, address, last->line_bits, &ahead))
      lastlevel_touch(last, ahead, 1);
   return lastlevel_access(last, address, size);
}
