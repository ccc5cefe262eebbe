/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache for instructions; see codecache.h.  */

#include "sim/codecache.h"

size_t codecache_bytes(const CacheGeometry* geometry)
{
   return (size_t)geometry_sets(geometry) * geometry->ways * sizeof(CodeLine*);
}

void codecache_set_up(CodeCache* cache, const CacheGeometry* geometry, void* memory)
{
   *cache = (CodeCache){
      .places = memory,
      .set_mask = geometry_sets(geometry) - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .ways = geometry->ways,
   };
}

CodeLine codecache_line(const CodeCache* cache, uintptr_t address)
{
   return (CodeLine){.state = CODE_LINE_ABSENT,
                     .countdown = CODE_LINE_SETTLED,
                     .number = (uint32_t)(address >> cache->line_bits)};
}

bool codecache_share_set(const CodeCache* cache, const CodeLine* a, const CodeLine* b)
{
   return ((a->number ^ b->number) & cache->set_mask) == 0;
}

static size_t n_places(const CodeCache* cache)
{
   return ((size_t)cache->set_mask + 1) * cache->ways;
}

void codecache_empty(CodeCache* cache)
{
   for (size_t i = 0; i < n_places(cache); i++)
      if (cache->places[i] != NULL) {
         cache->places[i]->state = CODE_LINE_ABSENT;
         cache->places[i] = NULL;
      }
}

void codecache_settle(CodeCache* cache)
{
   for (size_t i = 0; i < n_places(cache); i++) {
      CodeLine* line = cache->places[i];
      if (line == NULL || line->countdown == CODE_LINE_SETTLED)
         continue;
      line->since = cache->turns << 32 | (uint32_t)~line->countdown;
      line->countdown = CODE_LINE_SETTLED;
   }
   cache->turns++;
}

/* Was `a` used last before `b` was?  What is settled came before all that is not.  */
static inline bool is_older(const CodeLine* a, const CodeLine* b)
{
   if (a->countdown != b->countdown)
      return a->countdown > b->countdown;
   if (a->countdown == CODE_LINE_SETTLED && a->since != b->since)
      return a->since < b->since;
   return (int32_t)(a->number - b->number) < 0;
}

void codecache_bring_in(CodeCache* cache, CodeLine* line)
{
   CodeLine** set =
      cache->places + (size_t)(line->number & cache->set_mask) * cache->ways;
   uint32_t oldest = 0;
   for (uint32_t way = 0; way < cache->ways && set[oldest] != NULL; way++)
      if (set[way] == NULL || is_older(set[way], set[oldest]))
         oldest = way;
   if (set[oldest] != NULL)
      set[oldest]->state = CODE_LINE_ABSENT;
   set[oldest] = line;
   line->state = CODE_LINE_THERE;
}
