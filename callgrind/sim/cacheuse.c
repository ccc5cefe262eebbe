/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of how well cache lines are used; see cacheuse.h.

   The use of a line stays in one slot while its place in the order of last use changes,
   because lines of a first level refer to the slot that they came from.  A place holds
   its slot as a difference from the place's own number, so that an empty cache is all
   zero and the memory of a large one need not be written.  */

#include "sim/cacheuse.h"

#define PARTS 32

/* How a line has been used since it was brought in.  */
struct UsedLine {
   CacheLoader loader;
   uint32_t accesses;
   uint32_t parts;  /* those that were accessed, as bits */
   uint32_t source; /* of a line in a first level: the slot in the last one */
};

/* A place in a set, in the order of last use: which line is there, and in which slot of
   the set (way) its use is kept.  */
struct UsedPlace {
   uintptr_t tag;
   uint32_t way_xor_place;
};

static size_t slots_of(const CacheGeometry* geometry)
{
   return (size_t)geometry_sets(geometry) * geometry->ways;
}

size_t cacheuse_bytes(const CacheGeometry* geometry)
{
   return slots_of(geometry) * (sizeof(UsedPlace) + sizeof(UsedLine));
}

void cacheuse_set_up(UsedLevel* level, const CacheGeometry* geometry, void* memory)
{
   uint32_t sets = geometry_sets(geometry),
            line_bits = geometry_bits(geometry->line_size);
   UsedPlace* places = memory;
   *level = (UsedLevel){
      .places = places,
      .lines = (UsedLine*)(places + slots_of(geometry)),
      .set_mask = sets - 1,
      .line_size = geometry->line_size,
      .line_bits = line_bits,
      .set_bits = geometry_bits(sets),
      .ways = geometry->ways,
      .part_bits = geometry->line_size > PARTS ? line_bits - geometry_bits(PARTS) : 0,
   };
}

void cacheuse_empty(UsedLevel* level)
{
   size_t slots = (level->set_mask + 1) * level->ways;
   for (size_t i = 0; i < slots; i++) {
      level->places[i] = (UsedPlace){0, 0};
      level->lines[i] = (UsedLine){0, 0, 0, 0};
   }
}

/* Puts the line at `line` first in its set, and sets *slot to the slot of its use.
   False:  it was not there.  Then the slot still holds the use of the line that is
   evicted.  */
static bool find_line(UsedLevel* level, uintptr_t line, uint32_t* slot)
{
   uintptr_t number = line >> level->line_bits;
   uintptr_t first_slot = (number & level->set_mask) * level->ways;
   UsedPlace* set = level->places + first_slot;
   uintptr_t tag = number >> level->set_bits;
   UsedPlace moving = set[0];
   uint32_t place = 0;
   while (moving.tag != tag && place + 1 < level->ways) {
      UsedPlace next = set[place + 1];
      uint32_t way = moving.way_xor_place ^ place;
      set[place + 1] = (UsedPlace){moving.tag, way ^ (place + 1)};
      moving = next;
      place++;
   }
   uint32_t way = moving.way_xor_place ^ place;
   set[0] = (UsedPlace){tag, way};
   *slot = (uint32_t)first_slot + way;
   return moving.tag == tag;
}

static void report_waste(const UsedLevel* level, const UsedLine* use, bool is_last_level,
                         CacheWasteReport* report)
{
   if (use->accesses == 0 || use->loader == 0 || report == NULL)
      return;
   uint32_t parts = 0;
   for (uint32_t rest = use->parts; rest != 0; rest &= rest - 1)
      parts++;
   /* Parts of longer lines may have been added, so `used` may exceed the line.  */
   uint32_t used = parts << level->part_bits;
   uint32_t unused = used < level->line_size ? level->line_size - used : 0;
   report(use->loader, is_last_level, (CacheWaste){1000 / use->accesses, unused});
}

static void leave_first(const UsedLevel* first, const UsedLine* use, UsedLevel* last,
                        CacheWasteReport* report)
{
   if (report == NULL)
      return;
   report_waste(first, use, false, report);
   UsedLine* source = &last->lines[use->source];
   source->accesses += use->accesses;
   source->parts |= use->parts;
}

/* The parts, as bits, of the line at `line` that hold some of the bytes [start, end].  */
static uint32_t parts_of(const UsedLevel* level, uintptr_t line, uintptr_t start,
                         uintptr_t end)
{
   uintptr_t line_end = line + (level->line_size - 1);
   uint32_t from = start > line ? (uint32_t)(start - line) : 0;
   uint32_t to = end < line_end ? (uint32_t)(end - line) : level->line_size - 1;
   uint32_t above = PARTS - 1 - (to >> level->part_bits);
   return 0xffffffffu >> above & 0xffffffffu << (from >> level->part_bits);
}

/* Brings a line that the first level does not have into `slot`, in place of the line that
   is evicted there.  True: the last level had it.  */
static bool bring_in(UsedLevel* first, UsedLevel* last, uintptr_t line, uint32_t slot,
                     CacheLoader loader, CacheWasteReport* report)
{
   UsedLine* use = &first->lines[slot];
   leave_first(first, use, last, report);
   uint32_t source;
   bool is_hit = find_line(last, line, &source);
   if (!is_hit) {
      report_waste(last, &last->lines[source], true, report);
      last->lines[source] = (UsedLine){loader, 0, 0, 0};
   }
   *use = (UsedLine){loader, 0, 0, source};
   return is_hit;
}

CacheOutcome cacheuse_access(UsedLevel* first, UsedLevel* last, uintptr_t address,
                             uint32_t size, CacheLoader loader, CacheWasteReport* report)
{
   uintptr_t end = address + size - 1;
   uintptr_t line = address & -(uintptr_t)first->line_size;
   uintptr_t last_line = end & -(uintptr_t)first->line_size;
   bool is_cut = first->set_mask == 0 && line != last_line;
   if (is_cut)
      last_line = line;
   CacheOutcome outcome = CacheHit;
   for (;; line += first->line_size) {
      uint32_t slot;
      if (!find_line(first, line, &slot)) {
         bool is_hit = bring_in(first, last, line, slot, loader, report);
         if (!is_hit)
            outcome = CacheMemory;
         else if (outcome == CacheHit)
            outcome = CacheLLHit;
      }
      first->lines[slot].accesses++;
      if (!is_cut)
         first->lines[slot].parts |= parts_of(first, line, address, end);
      if (line == last_line)
         return outcome;
   }
}

void cacheuse_retire_first(UsedLevel* first, UsedLevel* last, CacheWasteReport* report)
{
   size_t slots = (first->set_mask + 1) * first->ways;
   for (size_t i = 0; i < slots; i++) {
      UsedLine* use = &first->lines[i];
      leave_first(first, use, last, report);
      use->accesses = use->parts = 0;
   }
}

void cacheuse_retire_last(UsedLevel* last, CacheWasteReport* report)
{
   size_t slots = (last->set_mask + 1) * last->ways;
   for (size_t i = 0; i < slots; i++) {
      UsedLine* use = &last->lines[i];
      report_waste(last, use, true, report);
      use->accesses = use->parts = 0;
   }
}
