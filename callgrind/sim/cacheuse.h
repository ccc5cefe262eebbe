/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of how lines are used (--cacheuse=yes): from when a line is brought in until
   it makes room, how often it is accessed and which of its bytes are.  What was wasted is
   reported to whoever brought it in.

   In the first level each access counts.  When a line leaves it, its count and its bytes
   are added to the line of the last level that it came from, or to what is in that one's
   place by then: so callgrind 3.19 does it, whose numbers these are.  It also adds the
   bytes as they were noted, in 32 parts of a line, where lines of the levels differ in
   size.  tests/simulators compares all of it.

   Owns no memory and knows nothing of the tool.  Slow: every access must be told, for
   each one counts.  */

#ifndef CALLGRIND_CACHEUSE_H
#define CALLGRIND_CACHEUSE_H

#include "sim/cachesim.h"

/* Who brought a line in: any number but 0, which is nobody.  */
typedef uintptr_t CacheLoader;

/* What became of a line.  It is 1000 / how often it was accessed (rounded down), and how
   many of its bytes were not.  */
typedef struct {
   uint32_t access_cost, spatial_loss;
} CacheWaste;

/* A line of the last level, or else of a first one, made room, or was settled.  */
typedef void CacheWasteReport(CacheLoader loader, bool is_last_level, CacheWaste waste);

typedef struct UsedLine UsedLine;
typedef struct UsedPlace UsedPlace;

/* One cache.  Its fields are private.  As in writeback.h, an empty place looks like a
   line with the tag 0; such a line has no loader, so nothing is reported of it.  And if
   there is a single set, an access that goes on in a second line is one of the first
   alone, and of none of its bytes.  */
typedef struct {
   UsedPlace* places; /* by set, last used first: which line is in which slot */
   UsedLine* lines;   /* by slot: its use */
   uintptr_t set_mask;
   uint32_t line_size, line_bits, set_bits, ways;
   uint32_t part_bits; /* a line is noted in parts of 1 << part_bits bytes */
} UsedLevel;

/* As cachesim_bytes() and cachesim_set_up().  */
size_t cacheuse_bytes(const CacheGeometry* geometry);
void cacheuse_set_up(UsedLevel* level, const CacheGeometry* geometry, void* memory);

/* Forgets all lines, and reports none.  */
void cacheuse_empty(UsedLevel* level);

/* In all that follows, `report` is NULL while costs are not collected: lines that make
   room then are forgotten, and their use is not added in the last level either.  What is
   still there goes on being counted.  */

/* An access by `loader` goes to `first`, and line by line to `last` where that
   misses.  */
CacheOutcome cacheuse_access(UsedLevel* first, UsedLevel* last, uintptr_t address,
                             uint32_t size, CacheLoader loader, CacheWasteReport* report);

/* Reports all lines that are there, as if they had to make room, and counts their use
   from zero on; they stay where they are.  First settle both first levels, then the
   last.  */
void cacheuse_retire_first(UsedLevel* first, UsedLevel* last, CacheWasteReport* report);
void cacheuse_retire_last(UsedLevel* last, CacheWasteReport* report);

#endif
