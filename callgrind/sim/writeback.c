/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last-level cache with write-back; see writeback.h.  */

#include "sim/writeback.h"

#define DIRTY ((uintptr_t)1)

size_t writeback_bytes(const CacheGeometry* geometry)
{
   return (size_t)geometry_sets(geometry) * geometry->ways * sizeof(uintptr_t);
}

void writeback_set_up(WritebackLevel* level, const CacheGeometry* geometry, void* memory)
{
   uint32_t sets = geometry_sets(geometry);
   *level = (WritebackLevel){
      .slots = memory,
      .set_mask = sets - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .tag_mask = -((uintptr_t)sets * geometry->line_size),
      .ways = geometry->ways,
   };
}

void writeback_empty(WritebackLevel* level)
{
   size_t slots = (level->set_mask + 1) * level->ways;
   for (size_t i = 0; i < slots; i++)
      level->slots[i] = 0;
}

/* Puts the line at `line` first in its set.  True: it was there.  If a dirty line is
   evicted for it, *is_dirty is set to true; otherwise it is left as it is.  */
static bool touch_line(WritebackLevel* level, uintptr_t line, bool is_write,
                       bool* is_dirty)
{
   uintptr_t number = line >> level->line_bits;
   uintptr_t* set = level->slots + (number & level->set_mask) * level->ways;
   uintptr_t tag = line & level->tag_mask;
   uintptr_t dirty = is_write ? DIRTY : 0;
   uintptr_t moving = set[0];
   uint32_t way = 0;
   while ((moving & level->tag_mask) != tag && ++way < level->ways) {
      uintptr_t next = set[way];
      set[way] = moving;
      moving = next;
   }
   bool is_hit = way < level->ways;
   if (!is_hit && moving & DIRTY)
      *is_dirty = true;
   set[0] = (is_hit ? moving : tag) | dirty;
   return is_hit;
}

CacheOutcome writeback_access_last(WritebackLevel* level, uintptr_t address,
                                   uint32_t size, bool is_write)
{
   uintptr_t line = address & -(uintptr_t)level->line_size;
   uintptr_t last = (address + size - 1) & -(uintptr_t)level->line_size;
   if (level->set_mask == 0)
      last = line;
   bool is_dirty = false;
   bool is_hit = touch_line(level, line, is_write, &is_dirty);
   while (line != last) {
      line += level->line_size;
      is_hit &= touch_line(level, line, is_write, &is_dirty);
   }
   if (is_hit)
      return CacheLLHit;
   return is_dirty ? CacheMemoryDirty : CacheMemory;
}

void writeback_watch(WritebackLevel* last, Prefetcher* prefetcher, uintptr_t address)
{
   uintptr_t ahead;
   bool is_dirty;
   if (prefetch_watch(prefetcher, address, last->line_bits, &ahead))
      touch_line(last, ahead, false, &is_dirty);
}
