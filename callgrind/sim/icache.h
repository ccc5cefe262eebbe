/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level instruction cache.  It behaves as a cache of cachesim.h.
   The addresses of code are known before it runs, so each line of code has a record of
   its own, made beforehand.  The record tells whether the line is in the cache, so a
   fetch needs no search.  A fetch stores in the record when it was, and if the line is in
   the cache, that is all.  The order of last use is computed only when a line is brought
   in.

   The time is a countdown that the caller chooses.  It must not be higher at a later use
   of any line.  If it is the same, the later use must be of the line with the higher
   address: the one that it really has, if the caller lets it be cached as if it had
   another.  icache_age_lines() lets the countdown begin again.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_ICACHE_H
#define CALLGRIND_ICACHE_H

#include "sim/geometry.h"

#include <stddef.h>

/* Is a line in the cache?  A number that instrumented code reads.  */
typedef uintptr_t ICacheLineState;
#define ICACHE_LINE_PRESENT ((ICacheLineState)0)
#define ICACHE_LINE_ABSENT (~(ICacheLineState)0) /* larger than any line */

/* The value of `countdown` in a line that has not been used since the countdown began: it
   is aged.  No real countdown has it.  */
#define ICACHE_LINE_AGED UINT32_MAX

typedef struct ICacheLine ICacheLine;

/* A line of code.  The caller makes one for each address with icache_new_line(), and
   keeps it as long as the cache.  */
struct ICacheLine {
   ICacheLineState state;
   uint64_t since;        /* of an aged line: when it was used last */
   ICacheLine* following; /* the caller's: the next line of a fetch from two */
   uint32_t countdown;    /* to be set by each use */
   uint32_t number;       /* its set in the lowest bits; above, how it is ordered */
};

/* One cache.  Its fields are private, but for line_size and line_bits.  */
typedef struct {
   ICacheLine** places; /* by set, as many as there are ways; NULL: empty */
   uint64_t turns;      /* how often the countdown has begun again */
   uint32_t set_mask, ways;
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
} ICache;

/* How many bytes of memory a cache of this valid geometry needs.  */
size_t icache_bytes(const CacheGeometry* geometry);

/* Makes *cache an empty cache of this valid geometry.  `memory` is the caller's: it has
   icache_bytes() bytes, all zero, aligned as a pointer, and must live as long as the
   cache.  */
void icache_set_up(ICache* cache, const CacheGeometry* geometry, void* memory);

/* The record of the line that holds `address`, as long as it has never been used.  Its
   code is really at `real`.  If that is not `address`, lines are ordered by the lowest 34
   bits of `real`, less one for each bit of a set's number: 256 MB with 64 sets, which is
   as far as direct jumps lead in most programs.  */
ICacheLine icache_new_line(const ICache* cache, uintptr_t address, uintptr_t real);

/* Do both lines belong to the same set, so that one may evict the other?  */
bool icache_share_set(const ICache* cache, const ICacheLine* a, const ICacheLine* b);

/* Evicts all lines.  */
void icache_empty(ICache* cache);

/* To be called before the countdown begins again from a higher number.  */
void icache_age_lines(ICache* cache);

/* Brings in a line that is absent, in place of the least recently used one of its set.
   Its countdown has just been set.  */
void icache_fill(ICache* cache, ICacheLine* line);

/* A line is used, and its countdown has just been set.  True: it was in the cache.  */
static inline bool icache_touch(ICache* cache, ICacheLine* line)
{
   if (line->state == ICACHE_LINE_PRESENT)
      return true;
   icache_fill(cache, line);
   return false;
}

#endif
