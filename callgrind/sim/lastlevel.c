/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last level; see lastlevel.h.

   A line's tag is what its address has above line and set, plus one: 0 is an empty place,
   and a cache in zeroed memory is empty.

   Tags are compared and moved in groups, as vectors, and without a branch that depends on
   where in its set a line is found.  The host could not foresee that, and to guess wrong
   costs more than all the comparisons.  */

#include "sim/lastlevel.h"

/* A host's cache line, for the layout only.  */
#define HOST_LINE 64
#define HOST_LINE_BITS 6

/* How many tags are looked at at once.  */
#define GROUP 4
typedef int32_t Tags __attribute__((vector_size(16), may_alias));
typedef int32_t UnalignedTags __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t TagPairs __attribute__((vector_size(16), may_alias));

/* How many groups a set has that takes one line of the host.  */
#define COMMON_GROUPS (HOST_LINE / sizeof(Tags))

#define TAG_BITS 31

/* A power of two, as in cachesim.c; one group at least.  */
static uint32_t set_bits_of(const CacheGeometry* geometry)
{
   uint32_t bits = 4;
   while (((uintptr_t)1 << bits) < geometry->ways * sizeof(int32_t))
      bits++;
   return bits;
}

static size_t narrow_bytes(const CacheGeometry* geometry)
{
   return ((size_t)geometry_sets(geometry) << set_bits_of(geometry)) + HOST_LINE;
}

size_t lastlevel_bytes(const CacheGeometry* geometry)
{
   return narrow_bytes(geometry) + cachesim_bytes(geometry);
}

void lastlevel_set_up(LastLevel* level, const CacheGeometry* geometry, void* memory)
{
   uintptr_t start = ((uintptr_t)memory + HOST_LINE - 1) & -(uintptr_t)HOST_LINE;
   uint32_t line_bits = geometry_bits(geometry->line_size);
   uint32_t tag_shift = line_bits + geometry_bits(geometry_sets(geometry));
   *level = (LastLevel){
      .sets = (int32_t*)start,
      /* Where addresses are short, all of them have tags.  */
      .limit = tag_shift + TAG_BITS < sizeof(uintptr_t) * 8
                  ? (uintptr_t)1 << (tag_shift + TAG_BITS)
                  : UINTPTR_MAX,
      .set_mask = geometry_sets(geometry) - 1,
      .line_size = geometry->line_size,
      .line_bits = line_bits,
      .tag_shift = tag_shift,
      .ways = geometry->ways,
      .set_bits = set_bits_of(geometry),
      .is_cold = true,
   };
   cachesim_set_up(&level->wide, geometry, (char*)memory + narrow_bytes(geometry));
}

void lastlevel_empty(LastLevel* level)
{
   cachesim_empty(&level->wide);
   if (level->is_cold)
      return;
   size_t n = ((level->set_mask + 1) << level->set_bits) / sizeof *level->sets;
   for (size_t i = 0; i < n; i++)
      level->sets[i] = 0;
   level->is_cold = true;
}

static int32_t* set_number(const LastLevel* level, uintptr_t number)
{
   return (int32_t*)((char*)level->sets + (number << level->set_bits));
}

/* What has room in a tag only just becomes a negative number, which is as good.  */
static int32_t tag_of(const LastLevel* level, uintptr_t line)
{
   return (int32_t)((uint32_t)(line >> level->tag_shift) + 1);
}

static uintptr_t line_of(const LastLevel* level, uintptr_t set, int32_t tag)
{
   return (uintptr_t)((uint32_t)tag - 1) << level->tag_shift | set << level->line_bits;
}

/* From now on lines are known by their addresses.  Those that are there are brought in
   anew, those that were used last at the end.  */
static void widen(LastLevel* level)
{
   level->limit = 0;
   for (uintptr_t set = 0; set <= level->set_mask; set++) {
      const int32_t* tags = set_number(level, set);
      for (uint32_t way = level->ways; way-- > 0;)
         if (tags[way] != 0)
            cachesim_touch(&level->wide, line_of(level, set, tags[way]), 1);
   }
}

static __attribute__((noinline)) bool touch_wide(LastLevel* level, uintptr_t address,
                                                 uint32_t size)
{
   if (level->limit != 0)
      widen(level);
   return cachesim_touch(&level->wide, address, size);
}

/* The places of a group in its set, counted from 1 on.  */
static inline Tags places_of(uint32_t group)
{
   return (Tags){1, 2, 3, 4} + (int32_t)(group * GROUP);
}

/* Where in a set of so many groups a tag is; 0: nowhere.  */
static inline uint32_t find(const int32_t* set, uint32_t groups, int32_t tag)
{
   Tags found = {0, 0, 0, 0};
#pragma GCC unroll 4
   for (uint32_t group = 0; group < groups; group++)
      found |= (((const Tags*)set)[group] == tag) & places_of(group);
   /* One of the four at most is not zero.  */
   uint64_t two = ((TagPairs)found)[0] | ((TagPairs)found)[1];
   return (uint32_t)(two | two >> 32);
}

/* In the first groups of a set, moves all tags before `place` one place back, over the one
   that is there, and puts `tag` first.  */
static inline void put_first(int32_t* set, uint32_t groups, uint32_t place, int32_t tag)
{
#pragma GCC unroll 4
   for (uint32_t group = groups; group-- > 0;) {
      Tags* tags = (Tags*)set + group;
      /* Not read from before the set, for that is another line of the host.  */
      Tags from_before = group > 0 ? (Tags) * (const UnalignedTags*)((int32_t*)tags - 1)
                                   : (Tags){tag, (*tags)[0], (*tags)[1], (*tags)[2]};
      Tags moves = places_of(group) <= (int32_t)place;
      *tags = (from_before & moves) | (*tags & ~moves);
   }
}

static inline bool touch_line(LastLevel* level, uintptr_t line)
{
   int32_t* set = set_number(level, line >> level->line_bits & level->set_mask);
   int32_t tag = tag_of(level, line);
   /* Where sets hold little, nearly all hits are this; where not, nearly none.  */
   if (*set == tag)
      return true;
   bool is_common = level->set_bits == HOST_LINE_BITS;
   uint32_t groups = (1u << level->set_bits) / sizeof(Tags);
   uint32_t place = is_common ? find(set, COMMON_GROUPS, tag) : find(set, groups, tag);
   bool is_hit = place != 0;
   if (!is_hit)
      place = level->ways;
   if (is_common)
      put_first(set, COMMON_GROUPS, place, tag);
   else
      put_first(set, (place + GROUP - 1) / GROUP, place, tag);
   return is_hit;
}

/* Apart, so that the common access in a single line needs no loop.  */
static __attribute__((noinline)) bool touch_lines(LastLevel* level, uintptr_t line,
                                                  uintptr_t last)
{
   bool is_hit = touch_line(level, line);
   while (line != last) {
      line += level->line_size;
      is_hit &= touch_line(level, line);
   }
   return is_hit;
}

bool lastlevel_touch(LastLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t end = address + size - 1;
   if (address >= level->limit || end >= level->limit)
      return touch_wide(level, address, size);
   level->is_cold = false;
   uintptr_t line = address & -(uintptr_t)level->line_size;
   uintptr_t last = end & -(uintptr_t)level->line_size;
   return line == last ? touch_line(level, line) : touch_lines(level, line, last);
}

CacheOutcome lastlevel_access(LastLevel* level, uintptr_t address, uint32_t size)
{
   return lastlevel_touch(level, address, size) ? CacheLLHit : CacheMemory;
}
