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

/* Two lines of code at other addresses may begin less than a line apart.  */
#define ORDER_BITS 2

ICacheLine icache_new_line(const ICache* cache, uintptr_t address, uintptr_t real)
{
   uint32_t number = (uint32_t)(address >> cache->line_bits);
   if (real != address)
      number = (uint32_t)(real >> ORDER_BITS) << __builtin_popcount(cache->set_mask) |
               (number & cache->set_mask);
   return (ICacheLine){
      .state = ICACHE_LINE_ABSENT, .countdown = ICACHE_LINE_AGED, .number = number};
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

/* Both have the same countdown.  Is the last use of `a` before that of `b`?  */
static inline bool is_older(const ICacheLine* a, const ICacheLine* b)
{
   if (a->countdown == ICACHE_LINE_AGED && a->since != b->since)
      return a->since < b->since;
   return (int32_t)(a->number - b->number) < 0;
}

/* The place in a full set of the line that was used last before all others; or the first
   that is empty.  Aged lines come before all others: their countdown is the highest.  */
static uint32_t place_to_fill(ICacheLine* const* set, uint32_t ways)
{
   uint32_t oldest = 0;
   uint32_t highest = 0;
   for (uint32_t way = 0; way < ways; way++) {
      const ICacheLine* line = set[way];
      if (line == NULL)
         return way;
      uint32_t countdown = line->countdown;
      if (__builtin_expect(countdown == highest, false) && is_older(line, set[oldest]))
         oldest = way;
      /* Which one is the oldest cannot be predicted: without a branch.  */
      oldest = countdown > highest ? way : oldest;
      highest = countdown > highest ? countdown : highest;
   }
   return oldest;
}

void icache_fill(ICache* cache, ICacheLine* line)
{
   ICacheLine** set =
      cache->places + (size_t)(line->number & cache->set_mask) * cache->ways;
   uint32_t place = place_to_fill(set, cache->ways);
   if (set[place] != NULL)
      set[place]->state = ICACHE_LINE_ABSENT;
   set[place] = line;
   line->state = ICACHE_LINE_PRESENT;
}
