/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first level for data: a cache as in cachesim.h, laid out for being asked
   often.  Of each set it keeps the addresses of the two lines that were used last, and the
   others by tags (linetags.h).

   Instrumented code looks at the line used last in a set: an access within it is a hit that
   changes nothing, so it can be decided by one comparison, without a call
   (firstlevel_is_mru_hit).  Of the rest most hit the line before that.

   For addresses too high for a tag it becomes a cache of cachesim.h, as a last level does
   (lastlevel.h); so does one with a single way from the beginning, since it has no second
   line.  What it says is exact whatever is accessed.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_FIRSTLEVEL_H
#define CALLGRIND_FIRSTLEVEL_H

#include "sim/cachesim.h"
#include "sim/linetags.h"

/* The addresses of lines, or of none: firstlevel.c.  */
typedef struct {
   uintptr_t mru;                                /* used last */
   uintptr_t second;                             /* used before it */
   int32_t older[] __attribute__((aligned(16))); /* tags, the last used first */
} FirstLevelSet;

/* One cache.  All fields are private, but where instrumented code finds the newest line:
   at the beginning of a set.  */
typedef struct {
   char* sets;
   uintptr_t set_mask;
   uintptr_t set_field; /* the bits of an address that say which set it is in */
   uintptr_t limit;     /* of addresses that tags do for; 0: the lines are in `wide` */
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t set_bits;             /* a set takes 1 << set_bits bytes */
   uint32_t tag_shift;            /* bits of an address below its tag */
   uint32_t n_older, n_groups;    /* tags of a set, and their groups */
   bool is_cold;                  /* nothing was brought in since it was emptied */
   CacheLevel wide;
} FirstLevel;

/* As cachesim_bytes(), cachesim_set_up() and cachesim_empty().  */
size_t firstlevel_bytes(const CacheGeometry* geometry);
void firstlevel_set_up(FirstLevel* level, const CacheGeometry* geometry, void* memory);
void firstlevel_empty(FirstLevel* level);

/* The set that holds the line at `address`.  */
static inline FirstLevelSet* firstlevel_set_of(const FirstLevel* level, uintptr_t address)
{
   uintptr_t set = address >> level->line_bits & level->set_mask;
   return (FirstLevelSet*)(level->sets + (set << level->set_bits));
}

/* The check that instrumented code makes: an access of `size` bytes lies within the newest
   line of its set if (address ^ newest) < this limit.  It is 0 if no access of that size
   can be decided so.  */
static inline uintptr_t firstlevel_mru_limit(const FirstLevel* level, uint32_t size)
{
   return size <= level->line_size ? (uintptr_t)level->line_size - size + 1 : 0;
}

/* Is it sure that the access hits and changes nothing?  If not, it may hit still.  */
static inline bool firstlevel_is_mru_hit(const FirstLevel* level, uintptr_t address,
                                         uint32_t size)
{
   return (address ^ firstlevel_set_of(level, address)->mru) <
          firstlevel_mru_limit(level, size);
}

/* How many groups of tags a set has, of a cache of so many ways, and of this one.  */
static inline uint32_t firstlevel_groups_of(uint32_t ways)
{
   return ways > 2 ? (ways - 2 + LINETAGS_GROUP - 1) / LINETAGS_GROUP : 0;
}

static inline uint32_t firstlevel_groups(const FirstLevel* level)
{
   return level->n_groups;
}

/* As firstlevel_touch(), for any access.  */
bool firstlevel_touch_any(FirstLevel* level, uintptr_t address, uint32_t size);

/* As firstlevel_touch(), for the whole line at `line`, which has a tag, in a cache whose sets
   have so many groups.  With a constant number the compiler has no loop left.  Where the two
   newest lines do not do, what is at `then` may be needed soon: the host may fetch it.  */
static inline bool firstlevel_touch_line(FirstLevel* level, uintptr_t line,
                                         uint32_t groups, const void* then)
{
   FirstLevelSet* set = firstlevel_set_of(level, line);
   uintptr_t mru = set->mru, second = set->second;
   if (mru == line)
      return true;
   set->mru = line;
   set->second = mru;
   if (second == line)
      return true;
   __builtin_prefetch(then, 1);
   level->is_cold = false;
   /* What stands for no line is in another set.  */
   bool is_line = ((second ^ line) & level->set_field) == 0;
   return linetags_replace(set->older, groups, level->n_older,
                           linetags_of(line, level->tag_shift),
                           is_line ? linetags_of(second, level->tag_shift) : 0);
}

/* The `size` bytes at `address` (1 or more) are accessed.  True: it was a hit.  As
   cachesim_touch().  `groups` is firstlevel_groups(); who knows it beforehand says so.
   `then` is what may be asked if it misses; NULL: nothing.  */
static inline bool firstlevel_touch(FirstLevel* level, uintptr_t address, uint32_t size,
                                    uint32_t groups, const void* then)
{
   uintptr_t line = address & -(uintptr_t)level->line_size;
   if (__builtin_expect(
          address >= level->limit || address - line + size > level->line_size, false))
      return firstlevel_touch_any(level, address, size);
   return firstlevel_touch_line(level, line, groups, then);
}

#endif
