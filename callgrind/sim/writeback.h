/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last-level cache with write-back (--simulate-wb=yes).  It knows which of
   its lines are dirty (changed), and a miss may have to write one of them to the memory
   first.

   The first level is an ordinary one, and every write goes through it: the line becomes
   dirty in the last level, and the last used of its set there.  So a write changes
   something even if it is an MRU hit in the first level, and must always be simulated.

   Owns no memory and knows nothing of the tool.  The behaviour is that of callgrind 3.19;
   tests/simulators compares it.  */

#ifndef CALLGRIND_WRITEBACK_H
#define CALLGRIND_WRITEBACK_H

#include "sim/cachesim.h"
#include "sim/prefetch.h"

/* A last level.  Its fields are private.  The tag of a line is the part of its address
   above the bits for the byte in the line and for the set.  As in callgrind 3.19, an
   empty place is the same as a line with the tag 0, so addresses below (sets * line size)
   hit a cold cache.  If there is a single set, only the first line of an access is
   simulated.  */
typedef struct {
   uintptr_t* slots; /* by set, last used first: tag, + 1 if dirty */
   uintptr_t set_mask;
   uintptr_t tag_mask; /* the bits of an address above line and set */
   uint32_t line_size, line_bits, ways;
} WritebackLevel;

/* As cachesim_bytes(), cachesim_set_up() and cachesim_empty().  */
size_t writeback_bytes(const CacheGeometry* geometry);
void writeback_set_up(WritebackLevel* level, const CacheGeometry* geometry, void* memory);
void writeback_empty(WritebackLevel* level);

/* To be called for an access that the first level has missed, and for every write.  An
   instruction that reads and then writes the same bytes is a write.  */
CacheOutcome writeback_access_last(WritebackLevel* level, uintptr_t address,
                                   uint32_t size, bool is_write);

/* With a prefetcher too (--simulate-hwpref=yes): to be called for an access that the
   first level has missed, before it goes to the last one.  If a dirty line is evicted for
   the prefetched one, no access counts it.  (In callgrind 3.19 a prefetched line is never
   found again, since its number is stored in place of its tag.  Counts differ on
   purpose.)  */
void writeback_watch(WritebackLevel* last, Prefetcher* prefetcher, uintptr_t address);

#endif
