/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a hardware prefetcher (--simulate-hwpref=yes): it watches what reaches the
   last level, and brings in the line five ahead of a stream that goes up or down a page.

   Owns no memory and knows nothing of the tool.  The behaviour is that of callgrind 3.19,
   fitted to its counts of misses (tests/simulators).  */

#ifndef CALLGRIND_PREFETCH_H
#define CALLGRIND_PREFETCH_H

#include "sim/lastlevel.h"

#define PREFETCH_STREAMS 8 /* pages that far apart share one */

/* What it remembers.  It begins as all zero.  */
typedef struct {
   uintptr_t blocks[PREFETCH_STREAMS]; /* address / line size of the last access */
   int32_t steps[PREFETCH_STREAMS]; /* to the next line, one after the other; < 0: down */
} Prefetcher;

void prefetch_empty(Prefetcher* prefetcher);

/* An access to `address` has reached a last level of lines of 1 << line_bits bytes.  True:
   the line at *ahead is to be brought in, before that access is served.  */
bool prefetch_watch(Prefetcher* prefetcher, uintptr_t address, uint32_t line_bits,
                    uintptr_t* ahead);

/* As lastlevel_access(), watched by a prefetcher.  */
CacheOutcome prefetch_access_last(LastLevel* last, Prefetcher* prefetcher,
                                  uintptr_t address, uint32_t size);

#endif
