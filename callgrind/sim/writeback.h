/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of caches with write-back (--simulate-wb=yes): the last level knows which of
   its lines were changed, and a miss may first have to write one of them to the memory.

   The first level is a plain one (cachesim.h), and every write goes through it: the line
   is marked in the last level too, and becomes the last used of its set there.  So a
   write cannot be decided by the newest line of the first level, as a read can.

   Owns no memory and knows nothing of the tool.  The behaviour is that of callgrind 3.19;
   tests/simulators compares it.  */

#ifndef CALLGRIND_WRITEBACK_H
#define CALLGRIND_WRITEBACK_H

#include "sim/cachesim.h"
#include "sim/prefetch.h"

/* A last level.  Its fields are private.  An empty place is, as in callgrind 3.19, no
   different from a line with the tag 0, where the tag is what an address has above line
   and set: where all sets together span more than an address, a cold cache hits.  And if
   there is a single set, only the first of the lines that an access holds is looked
   at.  */
typedef struct {
   uintptr_t* slots; /* by set, last used first: tag, + 1 if changed */
   uintptr_t set_mask;
   uintptr_t tag_mask; /* the bits of an address above line and set */
   uint32_t line_size, line_bits, ways;
} WritebackLevel;

/* As cachesim_bytes(), cachesim_set_up() and cachesim_empty().  */
size_t writeback_bytes(const CacheGeometry* geometry);
void writeback_set_up(WritebackLevel* level, const CacheGeometry* geometry, void* memory);
void writeback_empty(WritebackLevel* level);

/* An access that the first level has missed, or any write.  An instruction that reads and
   writes back is a write.  */
CacheOutcome writeback_access_last(WritebackLevel* level, uintptr_t address,
                                   uint32_t size, bool is_write);

/* With a prefetcher (--simulate-hwpref=yes) that watches what the first level misses: to
   be told before that reaches the last level.  What it brings in makes no access dirty.
   (In callgrind 3.19 what it brings in then is never found again: the number of the line
   stands where the tag is looked for.  Numbers differ on purpose.)  */
void writeback_watch(WritebackLevel* last, Prefetcher* prefetcher, uintptr_t address);

#endif
