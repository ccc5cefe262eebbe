/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a first-level instruction cache; see icache.h.  */

#include "sim/icache.h"

size_t icache_bytes(const CacheGeometry* geometry)
{
   return (size_t)geometry_sets(geometry) * geometry->ways * sizeof(ICacheLine*);
}

void icache_set_up(ICache* cache, const CacheGeometry* geometry, void* memory)
{
   *cache = (ICache){
      .places = memory,
      .set_mask = geometry_sets(geometry) - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .ways = geometry->ways,
   };
}

ICacheLine icache_new_line(const ICache* cache, uintptr_t address)
{
   return (ICacheLine){.state = ICACHE_LINE_ABSENT,
                       .countdown = ICACHE_LINE_AGED,
                       .number = (uint32_t)(address >> cache->line_bits)};
}

bool icache_share_set(const ICache* cache, const ICacheLine* a, const ICacheLine* b)
{
   return ((a->number ^ b->number) & cache->set_mask) == 0;
}

static size_t n_places(const ICache* cache)
{
   return ((size_t)cache->set_mask + 1) * cache->ways;
}

void icache_empty(ICache* cache)
{
   for (size_t i = 0; i < n_places(cache); i++)
      if (cache->places[i] != NULL) {
         cache->places[i]->state = ICACHE_LINE_ABSENT;
         cache->places[i] = NULL;
      }
}

void icache_age_lines(ICache* cache)
{
   for (size_t i = 0; i < n_places(cache); i++) {
      ICacheLine* line = cache->places[i];
      if (line == NULL || line->countdown == ICACHE_LINE_AGED)
         continue;
      line->since = cache->turns << 32 | (uint32_t)~line->countdown;
      line->countdown = ICACHE_LINE_AGED;
   }
   cache->turns++;
}

/* Is the last use of `a` before that of `b`?  Aged lines come before all others.  */
static inline bool is_older(const ICacheLine* a, const ICacheLine* b)
{
   if (a->countdown != b->countdown)
      return a->countdown > b->countdown;
   if (a->countdown == ICACHE_LINE_AGED && a->since != b->since)
      return a->since < b->since;
   return (int32_t)(a->number - b->number) < 0;
}

void icache_fill(ICache* cache, ICacheLine* line)
{
   ICacheLine** set =
      cache->places + (size_t)(line->number & cache->set_mask) * cache->ways;
   uint32_t oldest = 0;
   for (uint32_t way = 0; way < cache->ways && set[oldest] != NULL; way++)
      if (set[way] == NULL || is_older(set[way], set[oldest]))
         oldest = way;
   if (set[oldest] != NULL)
      set[oldest]->state = ICACHE_LINE_ABSENT;
   set[oldest] = line;
   line->state = ICACHE_LINE_PRESENT;
}
