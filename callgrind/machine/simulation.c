/* SPDX-License-Identifier: GPL-2.0-or-later

   Setting up the simulated machine; see simulation.h.

   Owns the simulators, and the memory of their caches.  */

#include "machine/simulation.h"

#include "cycles/processor_facts.h"
#include "machine/cache_shapes.h"
#include "machine/line_waste.h"
#include "machine/simulation_helpers.h"
#include "machine/simulators.h"
#include "stack/threads/thread.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

ICache* simulation_code(void) { return &simulators.i1; }
const FirstLevel* simulation_data(void) { return &simulators.d1; }
BranchPredictor* simulation_predictor(void) { return &simulators.predictor; }
Bool simulation_has_one_predictor(void) { return !simulators.counts_predicted_cycles; }
UInt simulation_smallest_line(void) { return cache_shapes_smallest_line(); }

Bool simulation_is_always_called(ReferenceKind kind)
{
   switch (simulators.model) {
   case ModelPlain:
   case ModelPrefetch: return False;
   /* Every write goes through to the last level.  */
   case ModelWriteback:
   case ModelWritebackPrefetch: return kind == ReferenceWrite;
   case ModelUse: return True;
   }
   return True;
}

static Bool has_writeback(void)
{
   return simulators.model == ModelWriteback ||
          simulators.model == ModelWritebackPrefetch;
}

/*--------------------------------------------------------------------*/
/* Memory                                                              */

/* Small caches, as first levels are, lie in the tool's own data, where generated code
   reaches them with a short address.  The last level of a host may take 64 MB, of which a
   short program needs little.  So large caches are mapped, and the kernel makes only the
   pages that are used.  Both kinds of memory are zero, and are never freed.  */
#define NEAR_BYTES 0x10000
static UChar near_memory[NEAR_BYTES] __attribute__((aligned(64)));
static SizeT near_used;

static void* memory_for_cache(SizeT size)
{
   if (size > NEAR_BYTES - near_used)
      return core_map_zeros(size, "a simulated cache");
   near_used += size;
   return near_memory + (near_used - size);
}

/*--------------------------------------------------------------------*/
/* Setting up                                                          */

static CacheModel chosen_model(void)
{
   if (options.cacheuse) {
      if (options.simulate_prefetch)
         VG_(dmsg)("warning: prefetch simulation can not be used with cache usage\n");
      if (options.simulate_write_back)
         VG_(dmsg)("warning: write-back simulation can not be used with cache usage\n");
      return ModelUse;
   }
   if (options.simulate_write_back)
      return options.simulate_prefetch ? ModelWritebackPrefetch : ModelWriteback;
   return options.simulate_prefetch ? ModelPrefetch : ModelPlain;
}

static void choose_model(void)
{
   simulators.model = chosen_model();
   for (UInt kind = 0; kind < REFERENCE_KINDS; kind++)
      simulators.is_always_called[kind] =
         simulation_is_always_called((ReferenceKind)kind);
   simulators.always_called =
      simulators.is_always_called[ReferenceWrite] ? PACKED_WRITES : 0;
}

static void set_up_caches(void)
{
   const CacheGeometry* i1 = &options.caches[CacheI1];
   const CacheGeometry* d1 = &options.caches[CacheD1];
   const CacheGeometry* ll = &options.caches[CacheLL];
   /* With --cacheuse too, as generated code depends on their shapes.  */
   icache_set_up(&simulators.i1, i1, memory_for_cache(icache_bytes(i1)));
   firstlevel_set_up(&simulators.d1, d1, memory_for_cache(firstlevel_bytes(d1)));
   if (has_writeback())
      writeback_set_up(&simulators.ll_writeback, ll,
                       memory_for_cache(writeback_bytes(ll)));
   else if (simulators.model != ModelUse)
      lastlevel_set_up(&simulators.ll, ll, memory_for_cache(lastlevel_bytes(ll)));
   for (UInt i = 0; i < CACHES && simulators.model == ModelUse; i++)
      cacheuse_set_up(&simulators.with_use[i], &options.caches[i],
                      memory_for_cache(cacheuse_bytes(&options.caches[i])));
}

#define PAGE_BYTES 4096

static void set_up_store(LastLevel* level, const ProcessorStore* store, UInt entry)
{
   CacheGeometry geometry = {store->entries * entry, store->ways, entry};
   lastlevel_set_up(level, &geometry, memory_for_cache(lastlevel_bytes(&geometry)));
}

static void set_up_cycles(void)
{
   const ProcessorFacts* facts = processor_facts();
   simulators.counts_cycles = True;
   set_up_store(&simulators.second, &facts->second_level,
                options.caches[CacheD1].line_size);
   set_up_store(&simulators.translations, &facts->translations, PAGE_BYTES);
}

static void age_code_lines(void) { icache_age_lines(&simulators.i1); }

void simulation_init(void)
{
   simulators.counts_predicted_cycles = options.cycle_model != 0;
   if (!options.cache_sim)
      return;
   cache_shapes_complete();
   choose_model();
   set_up_caches();
   simulation_helpers_init();
   if (options.cycle_model != 0)
      set_up_cycles();
   thread_before_countdown(age_code_lines);
}

/*--------------------------------------------------------------------*/
/* Emptying and finishing                                              */

void simulation_make_cold(void)
{
   if (!options.cache_sim || options.cache_at_start == CacheKeep)
      return;
   if (simulators.counts_cycles) {
      lastlevel_empty(&simulators.second);
      lastlevel_empty(&simulators.translations);
   }
   if (simulators.model == ModelUse) {
      for (UInt i = 0; i < CACHES; i++)
         cacheuse_empty(&simulators.with_use[i]);
      return;
   }
   icache_empty(&simulators.i1);
   firstlevel_empty(&simulators.d1);
   if (has_writeback())
      writeback_empty(&simulators.ll_writeback);
   else
      lastlevel_empty(&simulators.ll);
   prefetch_empty(&simulators.prefetcher);
}

void simulation_finish(void)
{
   if (simulators.model != ModelUse)
      return;
   CacheWasteReport* report = line_waste_report();
   UsedLevel* ll = &simulators.with_use[CacheLL];
   cacheuse_retire_first(&simulators.with_use[CacheI1], ll, report);
   cacheuse_retire_first(&simulators.with_use[CacheD1], ll, report);
   cacheuse_retire_last(ll, report);
}
