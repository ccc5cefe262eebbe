/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level cache for instructions, of the same behaviour as cachesim.h.
   What is special about code is that its addresses are known before it runs.  So each
   line has a record of its own, made beforehand, and an access needs no search: the line
   says itself whether it is in the cache.  Whoever uses it notes when, and that is all
   there is to do unless it is absent.  Only when a line is brought in are those of its set
   compared, for the one that was not used for longest.

   When is told by a countdown, which instrumented code has at hand.  It is the user's, as
   long as it is never higher at a later use, nor the same unless that is of a higher
   address; icache_age_lines() lets it begin anew.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_ICACHE_H
#define CALLGRIND_ICACHE_H

#include "sim/geometry.h"

#include <stddef.h>

/* Is a line in the cache?  A number that instrumented code looks at.  */
typedef uintptr_t ICacheLineState;
#define ICACHE_LINE_PRESENT ((ICacheLineState)0)
#define ICACHE_LINE_ABSENT (~(ICacheLineState)0) /* larger than any line */

/* No countdown.  */
#define ICACHE_LINE_AGED UINT32_MAX

typedef struct ICacheLine ICacheLine;

/* A line of code.  It begins as icache_new_line(), and exists once for each address, as
   long as the cache does.  */
struct ICacheLine {
   ICacheLineState state;
   uint64_t since;        /* if the countdown is settled: when the line was used last */
   ICacheLine* following; /* the user's: the line behind it, if that is asked for too */
   uint32_t countdown;    /* to be set by each use; of two at the same, that of the higher
                           address was later */
   uint32_t number;       /* its address, in lines; the lowest bits of it */
};

/* One cache.  Its fields are private, but for the shape of a line.  */
typedef struct {
   ICacheLine** places; /* by set, as many as there are ways; NULL: empty */
   uint64_t turns;      /* how often the countdown has begun anew */
   uint32_t set_mask, ways;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
} ICache;

/* How many bytes a cache of this valid geometry needs.  */
size_t icache_bytes(const CacheGeometry* geometry);

/* Makes an empty cache of this valid geometry.  `memory` is of icache_bytes() bytes,
   all zero, aligned as a pointer, and belongs to the cache as long as that is used.  */
void icache_set_up(ICache* cache, const CacheGeometry* geometry, void* memory);

/* The line that holds `address`, which has never been used yet.  */
ICacheLine icache_new_line(const ICache* cache, uintptr_t address);

/* Can both be in the cache only in the same set?  */
bool icache_share_set(const ICache* cache, const ICacheLine* a, const ICacheLine* b);

/* Forgets all lines.  */
void icache_empty(ICache* cache);

/* To be called before the countdown is set to a higher number.  */
void icache_age_lines(ICache* cache);

/* Brings in a line that is absent, and whose countdown has just been set, in place of the
   one of its set that was not used for longest.  */
void icache_fill(ICache* cache, ICacheLine* line);

/* A line is used, and its countdown has just been set.  True: it was there.  */
static inline bool icache_touch(ICache* cache, ICacheLine* line)
{
   if (line->state == ICACHE_LINE_PRESENT)
      return true;
   icache_fill(cache, line);
   return false;
}

#endif
