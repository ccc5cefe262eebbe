/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level data cache.  It behaves as a cache of cachesim.h, and is
   laid out for frequent accesses.  Each set keeps the addresses of the two lines that
   were used last, and the tags (linetags.h) of the others.

   An access within the line used last in its set is an MRU hit.  It changes nothing, so
   one comparison decides it, and instrumented code makes that without a call
   (firstlevel_is_mru_hit).  Most MRU misses hit the second line.

   Addresses may be too high for a tag.  When such a one is accessed, the cache gives up
   its tags and becomes a cache of cachesim.h, as a last level does (lastlevel.h).  A
   cache with a single way is one from the beginning, since its sets have no second line.
   So results are exact for any address.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_FIRSTLEVEL_H
#define CALLGRIND_FIRSTLEVEL_H

#include "sim/cachesim.h"
#include "sim/linetags.h"

/* What the addresses of an empty set are: firstlevel.c.  */
typedef struct {
   uintptr_t mru;                                /* used last */
   uintptr_t second;                             /* used before it */
   int32_t older[] __attribute__((aligned(16))); /* tags, the last used first */
} FirstLevelSet;

/* One cache.  All fields are private, but instrumented code reads `mru` of a set, and
   finds the set by `sets`, `set_mask`, `line_bits` and `set_bits`.  */
typedef struct {
   char* sets;
   uintptr_t set_mask;
   uintptr_t set_field;           /* the bits of an address that say which set it is in */
   uintptr_t limit;               /* addresses below it have tags; 0: see `untagged` */
   uint32_t line_size, line_bits; /* line_size == 1 << line_bits */
   uint32_t set_bits;             /* a set takes 1 << set_bits bytes */
   uint32_t tag_shift;            /* bits of an address below its tag */
   uint32_t n_older, n_groups;    /* tags of a set, and their groups */
   bool is_cold;                  /* nothing was brought in since it was emptied */
   CacheLevel untagged;           /* holds the lines once tags are given up */
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

/* An access of `size` bytes is an MRU hit exactly if (address ^ mru) is less than this
   limit.  0 if `size` is more than a line: such an access never is one.  */
static inline uintptr_t firstlevel_mru_limit(const FirstLevel* level, uint32_t size)
{
   return size <= level->line_size ? (uintptr_t)level->line_size - size + 1 : 0;
}

/* Is the access an MRU hit?  Then it changes nothing.  If not, it may hit another
   line.  */
static inline bool firstlevel_is_mru_hit(const FirstLevel* level, uintptr_t address,
                                         uint32_t size)
{
   return (address ^ firstlevel_set_of(level, address)->mru) <
          firstlevel_mru_limit(level, size);
}

/* How many groups of tags (linetags.h) a set has: in a cache of so many ways, and in this
   one.  */
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

/* As firstlevel_touch(), for the whole cache line at `line`, which has a tag.  `groups`
   is firstlevel_groups(level); if it is a constant, the compiler unrolls the loop over
   them.  Unless one of the set's first two lines is hit, what is at `then` may be needed
   soon: it is prefetched.  */
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
   /* An empty place holds an address of another set.  */
   bool is_line = ((second ^ line) & level->set_field) == 0;
   return linetags_replace(set->older, groups, level->n_older,
                           linetags_of(line, level->tag_shift),
                           is_line ? linetags_of(second, level->tag_shift) : 0);
}

/* The `size` bytes at `address` (1 or more) are accessed.  True: it was a hit.  As
   cachesim_touch().  `groups` is firstlevel_groups(level), a constant where possible.
   `then` is what will be read if the access misses; NULL: nothing.  */
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
