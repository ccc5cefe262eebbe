/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last level: a cache as in cachesim.h, laid out for being large.  What
   reaches it hits its sets without order, so it is slow by what the host's own caches do
   not hold of it, and by guesses at which line of a set is hit.  So lines are known by
   tags of 32 bits, of which sixteen are one line of the host, and all tags of a set are
   compared at once.

   Tags of 32 bits are too short for addresses that are very high: a program may try one,
   and take the signal.  From the first of them on, the cache is one of cachesim.h, with
   the same lines in it.  So what it says is exact whatever is accessed.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_LASTLEVEL_H
#define CALLGRIND_LASTLEVEL_H

#include "sim/cachesim.h"

/* One cache.  All fields are private.  */
typedef struct {
   int32_t* sets;   /* the tags of their lines, in each the last used first */
   uintptr_t limit; /* of addresses that tags do for; 0: the lines are in `wide` */
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
bool lastlevel_touch(LastLevel* level, uintptr_t address, uint32_t size);

/* An access that the first level has missed goes to the last one, all of it.  */
CacheOutcome lastlevel_access(LastLevel* level, uintptr_t address, uint32_t size);

/* An access to `address` may follow soon: the host may fetch the set that it needs.
   Changes nothing, and does no harm to a last level that was not set up.  */
static inline void lastlevel_expect(const LastLevel* level, uintptr_t address)
{
   uintptr_t set = address >> level->line_bits & level->set_mask;
   __builtin_prefetch((const char*)level->sets + (set << level->set_bits), 1);
}

#endif
