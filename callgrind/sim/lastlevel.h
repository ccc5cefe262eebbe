/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last level: a cache as in cachesim.h, laid out for being large.  What
   reaches it hits its sets without order, so it is slow by what the host's own caches do
   not hold of it, and by guesses at which line of a set is hit.  So lines are known by
   tags (linetags.h), of which sixteen are one line of the host.

   Tags of 32 bits are too short for addresses that are very high: a program may try one,
   and take the signal.  From the first of them on, the cache is one of cachesim.h, with
   the same lines in it.  So what it says is exact whatever is accessed.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_LASTLEVEL_H
#define CALLGRIND_LASTLEVEL_H

#include "sim/cachesim.h"
#include "sim/linetags.h"

/* One cache.  All fields are private.  */
typedef struct {
   int32_t* sets;          /* the tags of their lines, in each the last used first */
   uintptr_t limit;        /* of addresses that tags do for; 0: the lines are in `wide` */
   uintptr_t common_limit; /* the same; but 0 if a set takes no single line of the host */
   uintptr_t set_mask;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t tag_shift;            /* bits of an address below its tag */
   uint32_t ways;
   uint32_t set_bits; /* a set takes 1 << set_bits bytes, some of them unused */
   bool is_cold;      /* nothing was brought in since it was emptied */
   CacheLevel wide;
} LastLevel;

/* As cachesim_bytes(), cachesim_set_up(), cachesim_empty() and cachesim_touch().  */
size_t lastlevel_bytes(const CacheGeometry* geometry);
void lastlevel_set_up(LastLevel* level, const CacheGeometry* geometry, void* memory);
void lastlevel_empty(LastLevel* level);
bool lastlevel_touch_any(LastLevel* level, uintptr_t address, uint32_t size);

/* How many groups of tags a set has that takes one line of the host.  */
#define LASTLEVEL_COMMON_GROUPS 4

/* Where the set that holds the line at `address` begins.  Of a last level that was not set up
   it is NULL.  */
static inline int32_t* lastlevel_set_of(const LastLevel* level, uintptr_t address)
{
   uintptr_t set = address >> level->line_bits & level->set_mask;
   return (int32_t*)((char*)level->sets + (set << level->set_bits));
}

/* The same as lastlevel_touch_any(), soon done in the commonest shapes.  */
static inline bool lastlevel_touch(LastLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t line = address & -(uintptr_t)level->line_size;
   if (__builtin_expect(address >= level->common_limit ||
                           address - line + size > level->line_size,
                        false))
      return lastlevel_touch_any(level, address, size);
   level->is_cold = false;
   int32_t* set = lastlevel_set_of(level, line);
   int32_t tag = linetags_of(line, level->tag_shift);
   /* Where sets hold little, nearly all hits are this; where not, nearly none.  */
   return *set == tag ||
          linetags_replace(set, LASTLEVEL_COMMON_GROUPS, level->ways, tag, tag);
}

/* An access that the first level has missed goes to the last one, all of it.  */
static inline CacheOutcome lastlevel_access(LastLevel* level, uintptr_t address,
                                            uint32_t size)
{
   return lastlevel_touch(level, address, size) ? CacheLLHit : CacheMemory;
}

#endif
