/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level data cache; see firstlevel.h.

   An empty place for an address holds one that belongs to another set: 0, and in set 0
   NO_LINE.  So a cache in zeroed memory is empty, except for set 0.  */

#include "sim/firstlevel.h"

#include "sim/layout.h"

/* In a cache with a single set this would be taken for the line that holds this address.
   But an access to it faults: the address is not canonical on any 64-bit machine, and
   belongs to the kernel of a 32-bit one.  */
#define NO_LINE (sizeof(uintptr_t) == 8 ? UINTPTR_MAX >> 1 : UINTPTR_MAX)

/* A set takes at least one line of the host.  In the commonest shapes that is as much as
   a line of the simulated cache, so a set's place is computed without a shift.  */
static uint32_t set_bits_of(const CacheGeometry* geometry)
{
   size_t bytes = sizeof(FirstLevelSet) + geometry->ways * sizeof(int32_t);
   return layout_set_bits(bytes < LAYOUT_HOST_LINE ? LAYOUT_HOST_LINE : bytes);
}

static size_t narrow_bytes(const CacheGeometry* geometry)
{
   return layout_bytes(geometry, set_bits_of(geometry));
}

size_t firstlevel_bytes(const CacheGeometry* geometry)
{
   return narrow_bytes(geometry) + cachesim_bytes(geometry);
}

static void empty_set_0(FirstLevel* level)
{
   FirstLevelSet* set = firstlevel_set_of(level, level->shape, 0);
   set->mru = set->second = NO_LINE;
   level->is_cold = true;
}

void firstlevel_set_up(FirstLevel* level, const CacheGeometry* geometry, void* memory)
{
   uint32_t line_bits = geometry_bits(geometry->line_size);
   uint32_t tag_shift = line_bits + geometry_bits(geometry_sets(geometry));
   uint32_t n_older = geometry->ways > 2 ? geometry->ways - 2 : 0;
   *level = (FirstLevel){
      .sets = layout_start(memory),
      .limit = geometry->ways > 1 ? linetags_limit(tag_shift) : 0,
      .shape = {.line_bits = line_bits,
                .set_bits = set_bits_of(geometry),
                .tag_shift = tag_shift,
                .set_mask = geometry_sets(geometry) - 1,
                .n_older = n_older,
                .n_groups = (n_older + LINETAGS_GROUP - 1) / LINETAGS_GROUP},
   };
   empty_set_0(level);
   cachesim_set_up(&level->untagged, geometry, (char*)memory + narrow_bytes(geometry));
}

bool firstlevel_has_shape(const FirstLevel* level, FirstLevelShape shape)
{
   const FirstLevelShape* own = &level->shape;
   return own->line_bits == shape.line_bits && own->set_bits == shape.set_bits &&
          own->tag_shift == shape.tag_shift && own->set_mask == shape.set_mask &&
          own->n_older == shape.n_older && own->n_groups == shape.n_groups;
}

void firstlevel_empty(FirstLevel* level)
{
   cachesim_empty(&level->untagged);
   if (level->is_cold)
      return;
   uintptr_t* words = (uintptr_t*)level->sets;
   size_t sets = (size_t)level->shape.set_mask + 1;
   size_t n = (sets << level->shape.set_bits) / sizeof *words;
   for (size_t i = 0; i < n; i++)
      words[i] = 0;
   empty_set_0(level);
}

/* Brings the line in a place for an address into `untagged`, unless the place is
   empty.  */
static void move_line(FirstLevel* level, const FirstLevelSet* set, uintptr_t line)
{
   if (line != NO_LINE && firstlevel_set_of(level, level->shape, line) == set)
      cachesim_touch(&level->untagged, line, 1);
}

/* From now on lines are kept in `untagged`.  Those that are in the cache are brought in
   there, the ones used last at the end.  */
static void give_up_tags(FirstLevel* level)
{
   level->limit = 0;
   for (uintptr_t number = 0; number <= level->shape.set_mask; number++) {
      uintptr_t field = number << level->shape.line_bits;
      FirstLevelSet* set = firstlevel_set_of(level, level->shape, field);
      for (uint32_t i = level->shape.n_older; i-- > 0;)
         if (set->older[i] != 0)
            cachesim_touch(&level->untagged,
                           linetags_line(set->older[i], level->shape.tag_shift) | field,
                           1);
      move_line(level, set, set->second);
      move_line(level, set, set->mru);
   }
}

/* `mru` is kept up to date, as instrumented code goes on reading it.  */
static bool touch_untagged(FirstLevel* level, uintptr_t address, uint32_t size)
{
   if (level->limit != 0)
      give_up_tags(level);
   level->is_cold = false;
   uintptr_t line_size = firstlevel_line_size(level->shape);
   uintptr_t line = address & -line_size;
   uintptr_t last = (address + size - 1) & -line_size;
   firstlevel_set_of(level, level->shape, line)->mru = line;
   while (line != last) {
      line += line_size;
      firstlevel_set_of(level, level->shape, line)->mru = line;
   }
   return cachesim_touch(&level->untagged, address, size);
}

bool firstlevel_touch_any(FirstLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t end = address + size - 1;
   if (address >= level->limit || end >= level->limit)
      return touch_untagged(level, address, size);
   uintptr_t line_size = firstlevel_line_size(level->shape);
   uintptr_t line = address & -line_size;
   uintptr_t last = end & -line_size;
   bool is_hit = firstlevel_touch_line(level, level->shape, line, NULL);
   while (line != last) {
      line += line_size;
      is_hit &= firstlevel_touch_line(level, level->shape, line, NULL);
   }
   return is_hit;
}
