/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a hardware prefetcher (--simulate-hwpref=yes).  It watches the accesses
   that reach the last level.  If those to a page go up or down line by line, it brings in
   the line that is five ahead.

   Owns no memory and knows nothing of the tool.  The behaviour is that of callgrind 3.19,
   fitted to its counts of misses (tests/simulators).  */

#ifndef CALLGRIND_PREFETCH_H
#define CALLGRIND_PREFETCH_H

#include "sim/lastlevel.h"

#define PREFETCH_STREAMS 8 /* pages whose numbers differ by a multiple share a stream */

/* What it remembers.  It begins as all zero.  */
typedef struct {
   uintptr_t lines[PREFETCH_STREAMS]; /* number of the cache line accessed last */
   int32_t steps[PREFETCH_STREAMS];   /* consecutive steps of one line; < 0: down */
} Prefetcher;

/* Back to all zero.  */
void prefetch_empty(Prefetcher* prefetcher);

/* An access to `address` reaches a last level whose lines have 1 << line_bits bytes.
   True:  the line at *ahead must be brought in before that access is served.  */
bool prefetch_watch(Prefetcher* prefetcher, uintptr_t address, uint32_t line_bits,
                    uintptr_t* ahead);

/* As lastlevel_access(), watched by a prefetcher.  */
CacheOutcome prefetch_access_last(LastLevel* last, Prefetcher* prefetcher,
                                  uintptr_t address, uint32_t size);

#endif
