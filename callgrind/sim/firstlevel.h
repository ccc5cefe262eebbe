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

/* How a cache is divided into sets and lines.  Functions take it by itself: where it is a
   constant, the compiler leaves out what it would have to look up and compute.  */
typedef struct {
   uint32_t line_bits; /* binary logarithm of the length of a line */
   uint32_t set_bits;  /* a set takes 1 << set_bits bytes */
   uint32_t tag_shift; /* bits of an address below its tag */
   uint32_t set_mask;  /* number of sets - 1 */
   uint32_t n_older;   /* tags of a set */
   uint32_t n_groups;  /* the same in groups of tags (linetags.h) */
} FirstLevelShape;

/* That of 64 sets of 64-byte lines, the commonest by far, with 8 to 12 ways.  */
#define FIRSTLEVEL_COMMON_SHAPE(ways)                                                    \
   ((FirstLevelShape){6, 6, 12, 63, (ways) - 2,                                          \
                      ((ways) - 2 + LINETAGS_GROUP - 1) / LINETAGS_GROUP})

/* One cache.  All fields are private, but instrumented code reads `mru` of a set, and
   finds the set by `sets` and `shape`.  */
typedef struct {
   char* sets;
   uintptr_t limit; /* addresses below it have tags; 0: see `untagged` */
   FirstLevelShape shape;
   bool is_cold;        /* nothing was brought in since it was emptied */
   CacheLevel untagged; /* holds the lines once tags are given up */
} FirstLevel;

/* As cachesim_bytes(), cachesim_set_up() and cachesim_empty().  */
size_t firstlevel_bytes(const CacheGeometry* geometry);
void firstlevel_set_up(FirstLevel* level, const CacheGeometry* geometry, void* memory);
void firstlevel_empty(FirstLevel* level);

bool firstlevel_has_shape(const FirstLevel* level, FirstLevelShape shape);

static inline uintptr_t firstlevel_line_size(FirstLevelShape shape)
{
   return (uintptr_t)1 << shape.line_bits;
}

/* The set that holds the line at `address`.  `shape` is that of the cache; so in all that
   follows.  */
static inline FirstLevelSet* firstlevel_set_of(const FirstLevel* level,
                                               FirstLevelShape shape, uintptr_t address)
{
   uintptr_t set = address >> shape.line_bits & shape.set_mask;
   return (FirstLevelSet*)(level->sets + (set << shape.set_bits));
}

/* Is the access an MRU hit?  Then it changes nothing.  If not, it may hit another line.
   An access of more than a line never is one.  */
static inline bool firstlevel_is_mru_hit(const FirstLevel* level, FirstLevelShape shape,
                                         uintptr_t address, uint32_t size)
{
   uintptr_t line = firstlevel_line_size(shape);
   uintptr_t limit = size <= line ? line - size + 1 : 0;
   return (address ^ firstlevel_set_of(level, shape, address)->mru) < limit;
}

/* As firstlevel_touch(), for any access.  */
bool firstlevel_touch_any(FirstLevel* level, uintptr_t address, uint32_t size);

/* As firstlevel_touch(), for the whole cache line at `line`, which has a tag.  Unless one
   of the set's first two lines is hit, what is at `then` may be needed soon: it is
   prefetched.  */
static inline __attribute__((always_inline)) bool
firstlevel_touch_line(FirstLevel* level, FirstLevelShape shape, uintptr_t line,
                      const void* then)
{
   FirstLevelSet* set = firstlevel_set_of(level, shape, line);
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
   uintptr_t field = (uintptr_t)shape.set_mask << shape.line_bits;
   bool is_line = ((second ^ line) & field) == 0;
   return linetags_replace(set->older, shape.n_groups, shape.n_older,
                           linetags_of(line, shape.tag_shift),
                           is_line ? linetags_of(second, shape.tag_shift) : 0);
}

/* The `size` bytes at `address` (1 or more) are accessed.  True: it was a hit.  As
   cachesim_touch().  `then` is what will be read if the access misses; NULL: nothing.  */
static inline __attribute__((always_inline)) bool
firstlevel_touch(FirstLevel* level, FirstLevelShape shape, uintptr_t address,
                 uint32_t size, const void* then)
{
   uintptr_t line = address & -firstlevel_line_size(shape);
   if (__builtin_expect(address >= level->limit ||
                           address - line + size > firstlevel_line_size(shape),
                        false))
      return firstlevel_touch_any(level, address, size);
   return firstlevel_touch_line(level, shape, line, then);
}

#endif
