/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache; see cachesim.h.

   A line is known by its address.  An empty place in a set holds the address of a line
   that belongs to another set, so that no search finds it: 0, except in set 0.  So a
   cache in zeroed memory is empty, except for set 0.  */

#include "sim/cachesim.h"

#include "sim/layout.h"

/* For a cache with a single set, to which every line belongs.  Only an access that faults
   can name this line, since the address is not canonical on any 64-bit machine.  */
#define NO_LINE ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))

static uint32_t set_bits_of(const CacheGeometry* geometry)
{
   return layout_set_bits(geometry->ways * sizeof(uintptr_t));
}

size_t cachesim_bytes(const CacheGeometry* geometry)
{
   return layout_bytes(geometry, set_bits_of(geometry));
}

static void empty_set_0(CacheLevel* level)
{
   for (uint32_t way = 0; way < level->ways; way++)
      level->sets[way] = level->set_mask == 0 ? NO_LINE : level->line_size;
   level->is_cold = true;
}

void cachesim_set_up(CacheLevel* level, const CacheGeometry* geometry, void* memory)
{
   *level = (CacheLevel){
      .sets = layout_start(memory),
      .set_mask = geometry_sets(geometry) - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .ways = geometry->ways,
      .set_bits = set_bits_of(geometry),
   };
   empty_set_0(level);
}

void cachesim_empty(CacheLevel* level)
{
   if (level->is_cold)
      return;
   size_t n = ((level->set_mask + 1) << level->set_bits) / sizeof *level->sets;
   for (size_t i = 0; i < n; i++)
      level->sets[i] = 0;
   empty_set_0(level);
}

static uintptr_t* set_of(const CacheLevel* level, uintptr_t address)
{
   uintptr_t set = address >> level->line_bits & level->set_mask;
   return (uintptr_t*)((char*)level->sets + (set << level->set_bits));
}

/* Puts `previous` in front of the `count` lines at `older`.  Each of these moves one
   place back, until the place of `line` is filled, or the last line is evicted.  True if
   `line` was among them.  One pass does both: lines are in the order of their last use,
   so most hits are near the front.  */
static inline bool take_out(uintptr_t* older, uint32_t count, uintptr_t previous,
                            uintptr_t line)
{
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
   uintptr_t* set = set_of(level, line);
   uintptr_t previous = *set;
   if (previous == line)
      return true;
   *set = line;
   bool hit = take_out(set + 1, level->ways - 1, previous, line);
   if (!hit)
      level->is_cold = false;
   return hit;
}

/* A function of its own, so that the common access within one line needs no loop.  */
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
