/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache: sets of lines, in which the least recently used line is replaced
   (LRU).  It keeps addresses, no contents: all it tells is whether an access hits.  A
   write is an access like a read, and brings its line in.

   Owns no memory and knows nothing of the tool.  Its counts are those of callgrind 3.19;
   tests/simulators compares them.  */

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

/* Who served an access.  */
typedef enum {
   CacheHit,        /* the first level */
   CacheLLHit,      /* the last level */
   CacheMemory,     /* the memory */
   CacheMemoryDirty /* the memory, after a dirty line was written back (writeback.h) */
} CacheOutcome;

/* How many bytes of memory a cache of this valid geometry needs.  */
size_t cachesim_bytes(const CacheGeometry* geometry);

/* Makes *level an empty cache of this valid geometry.  `memory` is the caller's: it has
   cachesim_bytes() bytes, all zero, aligned as a pointer, and must live as long as the
   cache.  Only a few bytes of it are written here, so that the kernel need not make the
   pages of a large cache.  */
void cachesim_set_up(CacheLevel* level, const CacheGeometry* geometry, void* memory);

/* Evicts all lines.  */
void cachesim_empty(CacheLevel* level);

/* The `size` bytes at `address` (1 or more) are accessed.  True: it was a hit, that is,
   every line that holds some of them was in the cache.  Afterwards all these lines are in
   the cache, used in the order of their addresses.  */
bool cachesim_touch(CacheLevel* level, uintptr_t address, uint32_t size);

#endif
