/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a cache for instructions; see codecache.h.  */

#include "sim/codecache.h"

size_t codecache_bytes(const CacheGeometry* geometry)
{
   size_t sets = geometry_sets(geometry);
   return sets * (sizeof(CodeSet) + geometry->ways * sizeof(CodeLine*));
}

void codecache_set_up(CodeCache* cache, const CacheGeometry* geometry, void* memory)
{
   uint32_t sets = geometry_sets(geometry);
   *cache = (CodeCache){
      .sets = memory,
      .set_mask = sets - 1,
      .line_size = geometry->line_size,
      .line_bits = geometry_bits(geometry->line_size),
      .ways = geometry->ways,
   };
   CodeLine** places = (CodeLine**)(cache->sets + sets);
   for (uint32_t i = 0; i < sets; i++)
      cache->sets[i].places = places + (size_t)i * cache->ways;
}

CodeLine codecache_line(const CodeCache* cache, uintptr_t address)
{
   CodeSet* set = &cache->sets[(address >> cache->line_bits) & cache->set_mask];
   return (CodeLine){.state = CODE_LINE_ABSENT, .set = set};
}

void codecache_empty(CodeCache* cache)
{
   for (CodeSet* set = cache->sets; set <= cache->sets + cache->set_mask; set++) {
      for (uint32_t way = 0; way < cache->ways && set->places[way] != NULL; way++) {
         set->places[way]->state = CODE_LINE_ABSENT;
         set->places[way] = NULL;
      }
      set->newest = NULL;
   }
}

void codecache_bring_in(CodeCache* cache, CodeLine* line)
{
   CodeLine** places = line->set->places;
   uint32_t oldest = 0;
   for (uint32_t way = 0; way < cache->ways && places[oldest] != NULL; way++)
      if (places[way] == NULL || places[way]->since < places[oldest]->since)
         oldest = way;
   CodeLine* leaving = places[oldest];
   if (leaving != NULL) {
      leaving->state = CODE_LINE_ABSENT;
      if (line->set->newest == leaving)
         line->set->newest = NULL;
   }
   places[oldest] = line;
   line->state = CODE_LINE_OLDER;
}
