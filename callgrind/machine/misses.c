/* SPDX-License-Identifier: GPL-2.0-or-later

   See misses.h.  */

#include "machine/misses.h"

#include "layout/code_layout.h"

void misses_count_last(const Reference* reference, CacheOutcome outcome)
{
   misses_count_outcome(reference, OutcomeLastMiss);
   if (outcome == CacheMemoryDirty)
      misses_count_outcome(reference, OutcomeWrittenBack);
}

void misses_access_second(const Reference* reference, Addr address)
{
   if (!lastlevel_touch(&simulators.second, address, reference->size))
      misses_count_late(reference, LateSecondMiss);
   if (reference->kind == ReferenceFetch)
      address = code_layout_page(address);
   if (!lastlevel_touch(&simulators.translations, address, reference->size))
      misses_count_late(reference, LateWalk);
}

CacheOutcome misses_access_other(const Reference* reference, Addr address)
{
   Bool is_write = reference->kind == ReferenceWrite;
   UInt size = reference->size;
   WritebackLevel* writeback = &simulators.ll_writeback;
   switch (simulators.model) {
   case ModelPrefetch:
      return prefetch_access_last(&simulators.ll, &simulators.prefetcher, address, size);
   case ModelWritebackPrefetch:
      writeback_watch(writeback, &simulators.prefetcher, address); /* fall through */
   case ModelWriteback: return writeback_access_last(writeback, address, size, is_write);
   case ModelPlain:
   case ModelUse: break;
   }
   return CacheHit;
}
