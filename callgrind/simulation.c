/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulated machine; see simulation.h.

   Counts go where generated code puts its own: the clock, and the counters of the context
   that runs.  Code that is not shown, and code that is not collected, has scratch counters
   and a clock that is set back; it uses the caches all the same.  */

#include "simulation.h"

#include "line_use.h"
#include "options.h"
#include "sim/branchsim.h"
#include "sim/cacheuse.h"
#include "sim/host_caches.h"
#include "sim/prefetch.h"
#include "sim/writeback.h"
#include "stack/shadowstack.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

/* What is simulated of caches, by the options.  Each has its own kind of last level, or
   of all levels.  */
typedef enum {
   ModelPlain,
   ModelPrefetch,         /* --simulate-hwpref */
   ModelWriteback,        /* --simulate-wb */
   ModelWritebackWatched, /* both */
   ModelUse               /* --cacheuse */
} CacheModel;
static CacheModel model;

static CacheLevel levels[CACHES];
static Prefetcher prefetcher;
static WritebackLevel marked; /* the last level */
static UsedLevel used[CACHES];
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
   switch (model) {
   case ModelPlain:
   case ModelPrefetch: return False;
   /* Every write goes through to the last level.  */
   case ModelWriteback:
   case ModelWritebackWatched: return kind == ReferenceWrite;
   case ModelUse: return True;
   }
   return True;
}

static UChar asks_always[REFERENCE_KINDS]; /* simulation_asks_always(), at hand */

static Bool has_writeback(void)
{
   return model == ModelWriteback || model == ModelWritebackWatched;
}

static inline void count(const Reference* reference, UInt outcome)
{
   shadowstack_now.counters[reference->outcomes + outcome]++;
   UInt event = reference_event(reference, outcome);
   cost_clock[event]++;
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event]++;
}

static CacheOutcome access(const Reference* reference, CacheLevel* first, Addr address)
{
   Bool is_write = reference->kind == ReferenceWrite;
   UInt size = reference->size;
   switch (model) {
   case ModelPlain: return cachesim_access(first, &levels[CacheLL], address, size);
   case ModelPrefetch:
      return prefetch_access(first, &levels[CacheLL], &prefetcher, address, size);
   case ModelWriteback: return writeback_access(first, &marked, address, size, is_write);
   case ModelWritebackWatched:
      return writeback_access_watched(first, &marked, &prefetcher, address, size,
                                      is_write);
   case ModelUse:
      return cacheuse_access(&used[reference->kind == ReferenceFetch ? CacheI1 : CacheD1],
                             &used[CacheLL], address, size, line_use_loader(reference),
                             line_use_listener());
   }
   return CacheHit;
}

static __attribute__((noinline)) void simulate(const Reference* reference,
                                               CacheLevel* first, Addr address)
{
   if (reference->is_guarded && address == REFERENCE_NOT_MADE)
      return;
   switch (access(reference, first, address)) {
   case CacheMemoryDirty: count(reference, OutcomeWrittenBack); /* fall through */
   case CacheMemory: count(reference, OutcomeLastMiss);         /* fall through */
   case CacheLLHit: count(reference, OutcomeMiss);              /* fall through */
   case CacheHit: break;
   }
}

void simulation_run(const Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   CacheLevel* const firsts[] = {&levels[CacheI1], &levels[CacheD1], &levels[CacheD1]};
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      CacheLevel* first = firsts[reference->kind];
      if (!cachesim_is_newest(first, address, reference->size) ||
          UNLIKELY(asks_always[reference->kind]))
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
   if (!options.cache_sim || options.cache_at_start == CacheKeep)
      return;
   for (UInt i = 0; i < CACHES; i++)
      if (model == ModelUse)
         cacheuse_empty(&used[i]);
      else if (i != CacheLL || !has_writeback())
         cachesim_empty(&levels[i]);
   if (has_writeback())
      writeback_empty(&marked);
   prefetch_empty(&prefetcher);
}

void simulation_finish(void)
{
   if (model != ModelUse)
      return;
   CacheWasteReport* report = line_use_listener();
   cacheuse_settle_first(&used[CacheI1], &used[CacheLL], report);
   cacheuse_settle_first(&used[CacheD1], &used[CacheLL], report);
   cacheuse_settle_last(&used[CacheLL], report);
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

static void choose_model(void)
{
   if (options.cacheuse) {
      if (options.simulate_prefetch)
         VG_(dmsg)("warning: prefetch simulation can not be used with cache usage\n");
      if (options.simulate_write_back)
         VG_(dmsg)("warning: write-back simulation can not be used with cache usage\n");
      model = ModelUse;
   } else if (options.simulate_write_back)
      model = options.simulate_prefetch ? ModelWritebackWatched : ModelWriteback;
   else if (options.simulate_prefetch)
      model = ModelPrefetch;
   for (UInt kind = 0; kind < REFERENCE_KINDS; kind++)
      asks_always[kind] = simulation_asks_always((ReferenceKind)kind);
}

static void set_up(UInt i, const CacheGeometry* geometry)
{
   cachesim_set_up(&levels[i], geometry, memory_for_cache(cachesim_bytes(geometry)));
   if (model == ModelUse)
      cacheuse_set_up(&used[i], geometry, memory_for_cache(cacheuse_bytes(geometry)));
   if (i == CacheLL && has_writeback())
      writeback_set_up(&marked, geometry, memory_for_cache(writeback_bytes(geometry)));
}

/* An access may touch two lines, never three: stock refuses the same.  */
static void refuse_short_lines(void)
{
   UInt line = simulation_smallest_line();
   UInt needed = (UInt)VG_(machine_get_size_of_largest_guest_register)();
   if (line >= needed)
      return;
   VG_(fmsg)
   ("A cache has lines of %u bytes, and a register holds %u here: "
    "give --I1, --D1 and --LL lines of at least %u.\n",
    line, needed, needed);
   VG_(exit)(1);
}

void simulation_init(void)
{
   if (!options.cache_sim)
      return;
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].size == 0)
         take_host_caches();
   refuse_short_lines();
   if (VG_(clo_verbosity) > 1)
      print_configuration();
   choose_model();
   for (UInt i = 0; i < CACHES; i++)
      set_up(i, &options.caches[i]);
}
