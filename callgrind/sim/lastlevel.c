/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a last-level cache; see lastlevel.h.  */

#include "sim/lastlevel.h"

#include "sim/layout.h"

/* A set holds at least one group of tags.  */
static uint32_t set_bits_of(const CacheGeometry* geometry)
{
   size_t bytes = geometry->ways * sizeof(int32_t);
   return layout_set_bits(bytes < sizeof(LineTags) ? sizeof(LineTags) : bytes);
}

static size_t narrow_bytes(const CacheGeometry* geometry)
{
   return layout_bytes(geometry, set_bits_of(geometry));
}

/* A page.  */
#define PIECE_BYTES_BITS 12

static uint32_t piece_bits_of(const CacheGeometry* geometry)
{
   uint32_t set_bits = set_bits_of(geometry);
   return set_bits < PIECE_BYTES_BITS ? PIECE_BYTES_BITS - set_bits : 0;
}

static size_t n_pieces(uintptr_t set_mask, uint32_t piece_bits)
{
   return (set_mask >> piece_bits) + 1;
}

/* A mark for each piece.  What lies behind is aligned as they are.  */
static size_t mark_bytes(const CacheGeometry* geometry)
{
   size_t n = n_pieces(geometry_sets(geometry) - 1, piece_bits_of(geometry));
   return (n + LAYOUT_HOST_LINE - 1) & -LAYOUT_HOST_LINE;
}

size_t lastlevel_bytes(const CacheGeometry* geometry)
{
   return narrow_bytes(geometry) + mark_bytes(geometry) + cachesim_bytes(geometry);
}

void lastlevel_set_up(LastLevel* level, const CacheGeometry* geometry, void* memory)
{
   uint32_t line_bits = geometry_bits(geometry->line_size);
   uint32_t tag_shift = line_bits + geometry_bits(geometry_sets(geometry));
   *level = (LastLevel){
      .sets = layout_start(memory),
      .limit = linetags_limit(tag_shift),
      .set_mask = geometry_sets(geometry) - 1,
      .line_size = geometry->line_size,
      .line_bits = line_bits,
      .tag_shift = tag_shift,
      .ways = geometry->ways,
      .set_bits = set_bits_of(geometry),
      .piece_bits = piece_bits_of(geometry),
      .is_used = (uint8_t*)memory + narrow_bytes(geometry),
   };
   if (level->set_bits == LAYOUT_HOST_LINE_BITS)
      level->common_limit = level->limit;
   cachesim_set_up(&level->untagged, geometry, level->is_used + mark_bytes(geometry));
}

/* The last piece may be smaller than the others.  */
static void empty_piece(LastLevel* level, size_t piece)
{
   LineTags* end =
      (LineTags*)((char*)level->sets + ((level->set_mask + 1) << level->set_bits));
   LineTags* tags =
      (LineTags*)((char*)level->sets + (piece << level->piece_bits << level->set_bits));
   size_t n = ((size_t)1 << level->piece_bits << level->set_bits) / sizeof *tags;
   for (; n > 0 && tags < end; n--)
      *tags++ = (LineTags){0, 0, 0, 0};
}

void lastlevel_empty(LastLevel* level)
{
   cachesim_empty(&level->untagged);
   for (size_t i = 0; i < n_pieces(level->set_mask, level->piece_bits); i++)
      if (level->is_used[i] != 0) {
         empty_piece(level, i);
         level->is_used[i] = 0;
      }
}

/* From now on lines are kept in `untagged`.  Those that are in the cache are brought in
   there, the ones used last at the end.  */
static void give_up_tags(LastLevel* level)
{
   level->limit = level->common_limit = 0;
   for (uintptr_t number = 0; number <= level->set_mask; number++) {
      uintptr_t field = number << level->line_bits;
      const int32_t* tags = lastlevel_set_of(level, field);
      for (uint32_t way = level->ways; way-- > 0;)
         if (tags[way] != 0)
            cachesim_touch(&level->untagged,
                           linetags_line(tags[way], level->tag_shift) | field, 1);
   }
}

static bool touch_untagged(LastLevel* level, uintptr_t address, uint32_t size)
{
   if (level->limit != 0)
      give_up_tags(level);
   return cachesim_touch(&level->untagged, address, size);
}

static bool touch_line(LastLevel* level, uintptr_t line)
{
   level->is_used[lastlevel_number_of_set(level, line) >> level->piece_bits] = 1;
   int32_t tag = linetags_of(line, level->tag_shift);
   uint32_t groups = (1u << level->set_bits) / sizeof(LineTags);
   return linetags_replace(lastlevel_set_of(level, line), groups, level->ways, tag, tag);
}

bool lastlevel_touch_any(LastLevel* level, uintptr_t address, uint32_t size)
{
   uintptr_t end = address + size - 1;
   if (address >= level->limit || end >= level->limit)
      return touch_untagged(level, address, size);
   uintptr_t line = address & -(uintptr_t)level->line_size;
   uintptr_t last = end & -(uintptr_t)level->line_size;
   bool is_hit = touch_line(level, line);
   while (line != last) {
      line += level->line_size;
      is_hit &= touch_line(level, line);
   }
   return is_hit;
}
