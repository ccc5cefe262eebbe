/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache: sets of lines, of which the one that was not used for longest is
   replaced (LRU).  It keeps addresses, no contents: all it tells is whether an access
   hits.  A write is an access like a read, and brings its line in.

   Owns no memory and knows nothing of the tool.  The numbers it leads to are those of
   callgrind 3.19; tests/simulators compares them.  */

#ifndef CALLGRIND_CACHESIM_H
#define CALLGRIND_CACHESIM_H

#include "sim/geometry.h"

#include <stddef.h>

/* One cache.  All fields are private.  */
typedef struct {
   uintptr_t* sets; /* the addresses of their lines, in each the last used first */
   uintptr_t set_mask;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t ways;
   uint32_t set_bits; /* a set takes 1 << set_bits bytes, some of them unused */
   bool is_cold;      /* nothing was brought in since it was emptied */
} CacheLevel;

/* Who served an access.  The last is for models that know of dirty lines (writeback.h):
   the memory did, and had to take a changed line from the last level first.  */
typedef enum { CacheHit, CacheLLHit, CacheMemory, CacheMemoryDirty } CacheOutcome;

/* How many bytes a cache of this valid geometry needs.  */
size_t cachesim_bytes(const CacheGeometry* geometry);

/* Makes an empty cache of this valid geometry.  `memory` is of cachesim_bytes() bytes,
   all zero, aligned as a pointer, and belongs to the cache as long as that is used.  A
   large cache writes to a few bytes of it only, so pages that the kernel has not made yet
   need not be made.  */
void cachesim_set_up(CacheLevel* level, const CacheGeometry* geometry, void* memory);

/* Forgets all lines.  */
void cachesim_empty(CacheLevel* level);

/* The `size` bytes at `address` (1 or more) are accessed.  True: it was a hit, that is,
   every line that holds some of them was there.  All these are there afterwards, as the
   last used of their sets; the one at the highest address counts as used last.  */
bool cachesim_touch(CacheLevel* level, uintptr_t address, uint32_t size);

#endif
