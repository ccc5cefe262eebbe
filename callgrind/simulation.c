/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulated machine; see simulation.h.

   Counts go where generated code puts its own: the clock, and the counters of the context
   that runs.  Code that is not shown, and code that is not collected, has scratch counters
   and a clock that is set back; it uses the caches all the same.  */

#include "simulation.h"

#include "options.h"
#include "sim/branchsim.h"
#include "sim/host_caches.h"
#include "stack/shadowstack.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

static CacheLevel levels[CACHES];
static BranchPredictor predictor;

const CacheLevel* simulation_instructions(void) { return &levels[CacheI1]; }
const CacheLevel* simulation_data(void) { return &levels[CacheD1]; }

UInt simulation_smallest_line(void)
{
   UInt smallest = options.caches[CacheI1].line_size;
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].line_size < smallest)
         smallest = options.caches[i].line_size;
   return smallest;
}

Bool simulation_asks_always(ReferenceKind kind)
{
   (void)kind;
   return False;
}

static inline void count(const Reference* reference, UInt outcome)
{
   shadowstack_now.counters[reference->outcomes + outcome]++;
   UInt event = reference_event(reference, outcome);
   cost_clock[event]++;
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event]++;
}

static __attribute__((noinline)) void simulate(const Reference* reference,
                                               CacheLevel* first, Addr address)
{
   if (reference->is_guarded && address == REFERENCE_NOT_MADE)
      return;
   switch (cachesim_access(first, &levels[CacheLL], address, reference->size)) {
   case CacheHit: break;
   case CacheMemory: count(reference, OutcomeLastMiss); /* fall through */
   case CacheLLHit: count(reference, OutcomeMiss); break;
   }
}

void simulation_run(const Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   CacheLevel* const firsts[] = {&levels[CacheI1], &levels[CacheD1], &levels[CacheD1]};
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      CacheLevel* first = firsts[reference->kind];
      if (!cachesim_is_newest(first, address, reference->size))
         simulate(reference, first, address);
      if (reference->is_last)
         return;
   }
}

void simulation_branch_conditional(const Reference* branch, UWord taken)
{
   if (branchsim_conditional(&predictor, branch->address, taken != 0))
      count(branch, OutcomeMispredicted);
}

void simulation_branch_indirect(const Reference* branch, Addr target)
{
   if (branchsim_indirect(&predictor, branch->address, target))
      count(branch, OutcomeMispredicted);
}

void simulation_make_cold(void)
{
   if (options.cache_sim && options.cache_at_start == CacheCold)
      for (UInt i = 0; i < CACHES; i++)
         cachesim_empty(&levels[i]);
}

/* Small caches, as first levels are, lie where generated code reaches them with a short
   address.  */
#define NEAR_BYTES 0x10000
static UChar near_memory[NEAR_BYTES] __attribute__((aligned(64)));
static SizeT near_used;

static void* memory_for_cache(SizeT size)
{
   if (size > NEAR_BYTES - near_used)
      return VG_(calloc)("simulation.cache", 1, size);
   near_used += size;
   return near_memory + (near_used - size);
}

static void print_cache(const HChar* how, const CacheGeometry* cache)
{
   VG_(dmsg)
   ("warning: %s LL cache: line_size %u  assoc %u  total_size %'u\n", how,
    cache->line_size, cache->ways, cache->size);
}

/* What stock callgrind says of a host's caches.  */
static void warn_of(const HostCaches* host)
{
   if (VG_(clo_verbosity) == 0)
      return;
   if (host->is_unknown)
      VG_(dmsg)("warning: the caches of this processor are not known, using defaults\n");
   if (options.caches[CacheLL].size != 0)
      return;
   if (host->ll_is_l3)
      VG_(dmsg)("warning: L3 cache found, using its data for the LL simulation.\n");
   if (host->ll_reported.size != host->ll.size) {
      print_cache("specified", &host->ll_reported);
      print_cache("simulated", &host->ll);
   }
}

/* Those that the command line does not give are the host's.  */
static void take_host_caches(void)
{
   HostCaches host;
   host_caches_find(host_caches_cpuid, &host);
   warn_of(&host);
   const CacheGeometry* const found[CACHES] = {&host.i1, &host.d1, &host.ll};
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].size == 0)
         options.caches[i] = *found[i];
}

static void print_configuration(void)
{
   static const HChar* const names[CACHES] = {"I1", "D1", "LL"};
   VG_(umsg)("Cache configuration used:\n");
   for (UInt i = 0; i < CACHES; i++)
      VG_(umsg)
   ("  %s: %'u B, %u-way, %u B lines\n", names[i], options.caches[i].size,
    options.caches[i].ways, options.caches[i].line_size);
}

void simulation_init(void)
{
   if (!options.cache_sim)
      return;
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].size == 0)
         take_host_caches();
   if (VG_(clo_verbosity) > 1)
      print_configuration();
   for (UInt i = 0; i < CACHES; i++) {
      const CacheGeometry* geometry = &options.caches[i];
      cachesim_set_up(&levels[i], geometry, memory_for_cache(cachesim_bytes(geometry)));
   }
}
