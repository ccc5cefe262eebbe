/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of how well cache lines are used (--cacheuse=yes).  From when a line is
   brought in until it is evicted, it counts how often the line is accessed and which of
   its bytes are.  What was wasted is reported, with the loader that brought the line in.

   In the first level each access counts.  When a line leaves it, its count and its bytes
   are added to the line of the last level that it came from, or to the line that is in
   that one's slot by then.  Bytes are kept as 32 parts of a line, and added part by part,
   even if the levels have lines of different lengths.  All this is what callgrind 3.19
   does; tests/simulators compares the counts.

   Owns no memory and knows nothing of the tool.  Slow: every access must be
   simulated.  */

#ifndef CALLGRIND_CACHEUSE_H
#define CALLGRIND_CACHEUSE_H

#include "sim/cachesim.h"

/* Who brought a line in: any number chosen by the caller; 0 is nobody.  */
typedef uintptr_t CacheLoader;

/* How badly a line was used: 1000 / number of accesses (rounded down), and the number of
   bytes that were not accessed.  */
typedef struct {
   uint32_t access_cost, spatial_loss;
} CacheWaste;

/* Called when a line is evicted or retired: one of the last level, or of a first one.  */
typedef void CacheWasteReport(CacheLoader loader, bool is_last_level, CacheWaste waste);

typedef struct UsedLine UsedLine;
typedef struct UsedPlace UsedPlace;

/* One cache.  Its fields are private.  As in writeback.h, an empty place is the same as a
   line with the tag 0.  Such a line has no loader, so nothing is reported for it.  If
   there is a single set, an access to two lines counts as one of the first line only, and
   as one of none of its bytes.  */
typedef struct {
   UsedPlace* places; /* by set, last used first: which line is in which slot */
   UsedLine* lines;   /* by slot: its use */
   uintptr_t set_mask;
   uint32_t line_size, line_bits, set_bits, ways;
   uint32_t part_bits; /* a part of a line has 1 << part_bits bytes */
} UsedLevel;

/* As cachesim_bytes() and cachesim_set_up().  */
size_t cacheuse_bytes(const CacheGeometry* geometry);
void cacheuse_set_up(UsedLevel* level, const CacheGeometry* geometry, void* memory);

/* Evicts all lines, and reports none.  */
void cacheuse_empty(UsedLevel* level);

/* In all that follows, `report` is NULL while costs are not collected.  Lines that are
   evicted then are not reported, and their use is not added in the last level either.
   Lines that stay go on counting.  */

/* `loader` accesses the `size` bytes at `address` (1 or more).  Each line that `first`
   does not have is looked up in `last`.  */
CacheOutcome cacheuse_access(UsedLevel* first, UsedLevel* last, uintptr_t address,
                             uint32_t size, CacheLoader loader, CacheWasteReport* report);

/* Reports all lines of a cache as if they were evicted, and sets their use to zero.  The
   lines stay where they are.  Both first levels must be retired before the last one.  */
void cacheuse_retire_first(UsedLevel* first, UsedLevel* last, CacheWasteReport* report);
void cacheuse_retire_last(UsedLevel* last, CacheWasteReport* report);

#endif
