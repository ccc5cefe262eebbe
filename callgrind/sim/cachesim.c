/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache; see cachesim.h.

   A line is known by its address.  An empty place in a set holds the address of a line
   that belongs to another set, which no look-up can find: 0 everywhere but in set 0.  So
   a cache in zeroed memory is empty, except for set 0.  */

#include "sim/cachesim.h"

/* A host's cache line, for the layout only.  */
#define HOST_LINE 64

/* Of a cache with a single set every line is in set 0.  This one can only be named by an
   access that faults, for it is no canonical address on any 64-bit machine.  */
#define NO_LINE ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))

/* How far apart the older lines of two sets lie.  One place is left free where that makes
   a set fill whole lines of the host's cache: the common 8 and 16 ways.  */
static uint32_t stride_of(uint32_t ways)
{
   return ways * sizeof(uintptr_t) % HOST_LINE == 0 ? ways : ways - 1;
}

size_t cachesim_bytes(const CacheGeometry* geometry)
{
   size_t slots = (size_t)geometry_sets(geometry) * (1 + stride_of(geometry->ways));
   return slots * sizeof(uintptr_t) + HOST_LINE;
}

static uintptr_t empty_place_in_set_0(const CacheLevel* level)
{
   return level->set_mask == 0 ? NO_LINE : level->line_size;
}

static void empty_set_0(CacheLevel* level)
{
   uintptr_t empty = empty_place_in_set_0(level);
   level->newest[0] = empty;
   for (uint32_t i = 0; i < level->older_ways; i++)
      level->older[i] = empty;
   level->is_cold = true;
}

void cachesim_set_up(CacheLevel* level, const CacheGeometry* geometry, void* memory)
{
   uint32_t sets = geometry_sets(geometry);
   uintptr_t start = ((uintptr_t)memory + HOST_LINE - 1) & -(uintptr_t)HOST_LINE;
   *level = (CacheLevel){
      .older_stride = stride_of(geometry->ways),
      .older_ways = geometry->ways - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .set_mask = sets - 1,
   };
   /* The larger array first: a whole number of host lines where it has that stride.  */
   level->older = (uintptr_t*)start;
   level->newest = level->older + (size_t)sets * level->older_stride;
   empty_set_0(level);
}

void cachesim_empty(CacheLevel* level)
{
   if (level->is_cold)
      return;
   size_t sets = level->set_mask + 1;
   for (size_t i = 0; i < sets * level->older_stride; i++)
      level->older[i] = 0;
   for (size_t i = 0; i < sets; i++)
      level->newest[i] = 0;
   empty_set_0(level);
}

/* Puts `previous` in front of the `count` lines at `older`, each of which moves one place
   back until the place of `line` is filled, or the last one falls out.  True if `line`
   was among them.  Search and shift are one pass, since most hits are near the front: in
   order of time, not by way, there is little to search.  */
static inline bool take_out(uintptr_t* older, uint32_t count, uintptr_t previous,
                            uintptr_t line)
{
#pragma GCC unroll 8
   for (uint32_t i = 0; i < count; i++) {
      uintptr_t moving = older[i];
      older[i] = previous;
      if (moving == line)
         return true;
      previous = moving;
   }
   return false;
}

/* As cachesim_touch(), for the whole line at `line`.  */
static inline bool touch_line(CacheLevel* level, uintptr_t line)
{
   uintptr_t set = (line >> level->line_bits) & level->set_mask;
   uintptr_t previous = level->newest[set];
   if (previous == line)
      return true;
   level->newest[set] = line;
   uintptr_t* older = level->older + set * level->older_stride;
   /* With a constant count the compiler has no loop left in the commonest shape.  */
   bool hit = level->older_ways == 7 ? take_out(older, 7, previous, line)
                                     : take_out(older, level->older_ways, previous, line);
   if (!hit)
      level->is_cold = false;
   return hit;
}

/* Apart, so that the common access in a single line needs no loop.  */
static __attribute__((noinline)) bool touch_lines(CacheLevel* level, uintptr_t line,
                                                  uintptr_t last)
{
   bool hit = touch_line(level, line);
   while (line != last) {
      line += level->line_size;
      hit &= touch_line(level, line);
   }
   return hit;
}

bool cachesim_touch(CacheLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t line = address & -(uintptr_t)level->line_size;
   uintptr_t last = (address + size - 1) & -(uintptr_t)level->line_size;
   return line == last ? touch_line(level, line) : touch_lines(level, line, last);
}

CacheOutcome cachesim_access_last(CacheLevel* last, uintptr_t address, uint32_t size)
{
   return cachesim_touch(last, address, size) ? CacheLLHit : CacheMemory;
}
