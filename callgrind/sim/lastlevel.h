/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last-level cache.  It behaves as a cache of cachesim.h, and is laid out
   for being large.  Accesses reach its sets in no order.  So what costs time is that its
   data are not in the host's own caches, and that the host mispredicts which line of a
   set is hit.  Therefore lines are kept as tags (linetags.h): sixteen fit in one line of
   the host, and they are compared without branches.

   Tags of 32 bits are too short for very high addresses, which a program may access if it
   handles the signal.  At the first such access the cache gives up its tags and becomes a
   cache of cachesim.h with the same lines.  So results are exact for any address.

   A benchmark uses a small part of a cache of many megabytes, and the cache is emptied
   for each.  So the sets are divided into pieces of a page, and those that were used are
   marked: only they are emptied.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_LASTLEVEL_H
#define CALLGRIND_LASTLEVEL_H

#include "sim/cachesim.h"
#include "sim/linetags.h"

/* One cache.  All fields are private.  */
typedef struct {
   int32_t* sets;   /* the tags of their lines, in each the last used first */
   uintptr_t limit; /* addresses below it have tags; 0: see `untagged` */
   uintptr_t
      common_limit; /* the same; but 0 if a set is not exactly one line of the host */
   uintptr_t set_mask;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t tag_shift;            /* bits of an address below its tag */
   uint32_t ways;
   uint32_t set_bits;   /* a set takes 1 << set_bits bytes, some of them unused */
   uint32_t piece_bits; /* 1 << piece_bits sets are a piece */
   uint8_t* is_used;    /* the pieces in which a line has been accessed: 1 */
   CacheLevel untagged; /* holds the lines once tags are given up */
} LastLevel;

/* As cachesim_bytes(), cachesim_set_up(), cachesim_empty() and cachesim_touch().
   lastlevel_touch() is faster than lastlevel_touch_any().  */
size_t lastlevel_bytes(const CacheGeometry* geometry);
void lastlevel_set_up(LastLevel* level, const CacheGeometry* geometry, void* memory);
void lastlevel_empty(LastLevel* level);
bool lastlevel_touch_any(LastLevel* level, uintptr_t address, uint32_t size);

/* How many groups of tags a set has if it is one line of the host.  */
#define LASTLEVEL_COMMON_GROUPS 4

static inline uintptr_t lastlevel_number_of_set(const LastLevel* level, uintptr_t address)
{
   return address >> level->line_bits & level->set_mask;
}

/* The beginning of the set that holds the line at `address`.  NULL if the cache has not
   been set up.  */
static inline int32_t* lastlevel_set_of(const LastLevel* level, uintptr_t address)
{
   uintptr_t set = lastlevel_number_of_set(level, address);
   return (int32_t*)((char*)level->sets + (set << level->set_bits));
}

/* As lastlevel_touch_any(), with a fast path for the commonest shapes.  */
static inline bool lastlevel_touch(LastLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t line = address & -(uintptr_t)level->line_size;
   if (__builtin_expect(address >= level->common_limit ||
                           address - line + size > level->line_size,
                        false))
      return lastlevel_touch_any(level, address, size);
   level->is_used[lastlevel_number_of_set(level, line) >> level->piece_bits] = 1;
   int32_t* set = lastlevel_set_of(level, line);
   int32_t tag = linetags_of(line, level->tag_shift);
   /* For some programs nearly all hits are this one, for others nearly none: the host
      predicts the branch well.  */
   return *set == tag ||
          linetags_replace(set, LASTLEVEL_COMMON_GROUPS, level->ways, tag, tag);
}

/* The access has missed the first level.  All its bytes are accessed here.  */
static inline CacheOutcome lastlevel_access(LastLevel* level, uintptr_t address,
                                            uint32_t size)
{
   return lastlevel_touch(level, address, size) ? CacheLLHit : CacheMemory;
}

#endif
