/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulated machine; see simulation.h.

   Counts go where generated code puts its own: the clock, and the counters of the context
   that runs.  Code that is not shown, and code that is not collected, has scratch counters
   and a clock that is set back; it uses the caches all the same.  */

#include "machine/simulation.h"

#include "machine/line_waste.h"
#include "options/options.h"
#include "sim/branchsim.h"
#include "sim/cacheuse.h"
#include "sim/host_caches.h"
#include "sim/lastlevel.h"
#include "sim/prefetch.h"
#include "sim/writeback.h"
#include "stack/rare_sync.h"
#include "stack/thread.h"

#include "pub_tool_aspacemgr.h"
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

static ICache code;
static FirstLevel data;
static LastLevel last;
static Prefetcher prefetcher;
static WritebackLevel marked; /* the last level */
static UsedLevel used[CACHES];
static BranchPredictor predictor;

ICache* simulation_code(void) { return &code; }
const FirstLevel* simulation_data(void) { return &data; }

UInt simulation_smallest_line(void)
{
   UInt smallest = options.caches[CacheI1].line_size;
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].line_size < smallest)
         smallest = options.caches[i].line_size;
   return smallest;
}

Bool simulation_is_always_called(ReferenceKind kind)
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

static UChar
   is_always_called[REFERENCE_KINDS]; /* simulation_is_always_called(), at hand */
static PackedReference always_called; /* the same, as a bit of those that do */

static Bool has_writeback(void)
{
   return model == ModelWriteback || model == ModelWritebackWatched;
}

static inline void count(const Reference* reference, UInt outcome)
{
   shadowstack_now.counters[reference->outcomes + outcome]++;
   UInt event = reference_outcome_event(reference, outcome);
   if (cost_is_rare(event))
      rare_sync();
   cost_clock[event]++;
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event]++;
}

static __attribute__((noinline)) CacheOutcome
access_watched_last(const Reference* reference, Addr address)
{
   Bool is_write = reference->kind == ReferenceWrite;
   UInt size = reference->size;
   switch (model) {
   case ModelPrefetch: return prefetch_access_last(&last, &prefetcher, address, size);
   case ModelWritebackWatched:
      writeback_watch(&marked, &prefetcher, address); /* fall through */
   case ModelWriteback: return writeback_access_last(&marked, address, size, is_write);
   case ModelPlain:
   case ModelUse: break;
   }
   return CacheHit;
}

/* What the first level has missed goes to the last one.  */
static inline CacheOutcome access_last(const Reference* reference, Addr address)
{
   return model == ModelPlain ? lastlevel_access(&last, address, reference->size)
                              : access_watched_last(reference, address);
}

static CacheOutcome access_used(const Reference* reference, Addr address)
{
   UsedLevel* first = &used[reference->kind == ReferenceFetch ? CacheI1 : CacheD1];
   return cacheuse_access(first, &used[CacheLL], address, reference->size,
                          line_waste_loader(reference), line_waste_listener());
}

/* Apart from what hits the last level, which is most.  */
static __attribute__((noinline)) void count_last_miss(const Reference* reference,
                                                      CacheOutcome outcome)
{
   count(reference, OutcomeLastMiss);
   if (outcome == CacheMemoryDirty)
      count(reference, OutcomeWrittenBack);
}

/* The first level was missed; what came of that.  */
static inline void count_miss(const Reference* reference, CacheOutcome outcome)
{
   count(reference, OutcomeMiss);
   if (outcome != CacheLLHit)
      count_last_miss(reference, outcome);
}

/* The lines are used at `countdown`; ICACHE_LINE_AGED: generated code has noted when.  */
static void fetch(const Reference* reference, UInt countdown)
{
   ICacheLine* line = reference->line;
   Bool is_hit = True;
   for (UInt left = reference->is_from_two ? 2 : 1; left > 0; left--) {
      if (countdown != ICACHE_LINE_AGED)
         line->countdown = countdown;
      is_hit = icache_touch(&code, line) && is_hit;
      line = line->following;
   }
   if (!is_hit)
      count_miss(reference, access_last(reference, reference->address));
}

/* An access that is not known to be a plain hit.  True: all lines of data were there.  */
static inline __attribute__((always_inline)) Bool touch_data(Addr address, UInt size,
                                                             UInt groups)
{
   return firstlevel_touch(&data, address, size, groups,
                           lastlevel_set_of(&last, address));
}

static __attribute__((noinline)) void miss_data(const Reference* reference, Addr address)
{
   count_miss(reference, access_last(reference, address));
}

/* Any access to data, in any model.  */
static void access_data(const Reference* reference, Addr address)
{
   if (reference->is_guarded && address == REFERENCE_NOT_MADE)
      return;
   if (!touch_data(address, reference->size, firstlevel_groups(&data)))
      miss_data(reference, address);
   else if (is_always_called[reference->kind])
      writeback_access_last(&marked, address, reference->size, True);
}

/* For the next translation; nothing that is counted depends on it.  */
static inline void note_slow(const Reference* reference)
{
   if (reference->mru_misses < REFERENCE_OFTEN_MISSES_MRU)
      ((Reference*)reference)->mru_misses++;
}

/* In the order of the program: what misses a first level goes to the last one.  */
static inline void run_in_order(const Reference* reference, UInt countdown,
                                const Addr* arguments)
{
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      if (reference->kind == ReferenceFetch)
         fetch(reference, countdown);
      else if (UNLIKELY(is_always_called[reference->kind]))
         access_data(reference, address);
      else if (!firstlevel_is_newest(&data, address, reference->size)) {
         if (countdown != ICACHE_LINE_AGED)
            note_slow(reference);
         access_data(reference, address);
      }
      if (reference->is_last)
         return;
   }
}

void simulation_run(const Reference* first, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   run_in_order(first, ICACHE_LINE_AGED, arguments);
}

void simulation_run_unnoted(const Reference* first, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   run_in_order(first, thread_countdown(), arguments);
}

static __attribute__((noinline)) void access_unpacked(const Reference* reference,
                                                      const Addr* arguments)
{
   access_data(reference, reference->address + arguments[reference->argument]);
}

/* Fetches that hit leave nothing to do.  The reference itself is looked at only if data
   miss: the host may have to wait for it.  */
static inline __attribute__((always_inline)) void
access_some(const PackedReference* first, UWord missed, const Addr* arguments,
            UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      const Reference* reference = reference_of_packed(first);
      run_in_order(reference - reference->before, ICACHE_LINE_AGED, arguments);
      return;
   }
   for (const PackedReference* access = first;; access++) {
      const PackedReference packed = *access;
      if (UNLIKELY((packed & PACKED_ARGUMENT) == PACKED_INCOMPLETE ||
                   (packed & always_called) != 0))
         access_unpacked(reference_of_packed(access), arguments);
      else {
         Addr address = (Addr)((Long)packed >> 32) + arguments[packed & PACKED_ARGUMENT];
         UInt size = packed >> PACKED_SIZE_SHIFT & PACKED_SIZE;
         if (UNLIKELY(!firstlevel_is_newest(&data, address, size)) &&
             !touch_data(address, size, groups))
            miss_data(reference_of_packed(access), address);
      }
      if (packed & PACKED_IS_LAST)
         return;
   }
}

/* A group whose last reference is its only access to data.  */
static __attribute__((noinline)) void run_up_to(const Reference* access, Addr address)
{
   Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {0};
   arguments[access->argument] = address - access->address;
   run_in_order(access - access->before, ICACHE_LINE_AGED, arguments);
}

static inline __attribute__((always_inline)) void
access_one(SizedReference sized, UWord missed, Addr address, UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      run_up_to(reference_of_sized(sized), address);
      return;
   }
   if (touch_data(address, reference_size_of_sized(sized), groups))
      return;
   const Reference* reference = reference_of_sized(sized);
   count_miss(reference, access_last(reference, address));
}

/* The same once more for each of the commonest shapes of D1, where loops over the groups of
   tags, and calls, would take a third of the time.  */
static void access_any(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                       Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_some(first, missed, arguments, firstlevel_groups(&data));
}

static void access_8_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                          Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_some(first, missed, arguments, firstlevel_groups_of(8));
}

static void access_12_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                           Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_some(first, missed, arguments, firstlevel_groups_of(12));
}

static void access_one_any(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups(&data));
}

static void access_one_8_ways(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups_of(8));
}

static void access_one_12_ways(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups_of(12));
}

SimulationHelpers simulation_helpers(void)
{
   static const SimulationHelpers any = {access_any, access_one_any},
                                  ways_8 = {access_8_ways, access_one_8_ways},
                                  ways_12 = {access_12_ways, access_one_12_ways};
   switch (options.caches[CacheD1].ways) {
   case 8: return ways_8;
   case 12: return ways_12;
   default: return any;
   }
}

void simulation_run_used(const Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      if (!reference->is_guarded || address != REFERENCE_NOT_MADE) {
         CacheOutcome outcome = access_used(reference, address);
         if (outcome != CacheHit)
            count_miss(reference, outcome);
      }
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
   if (model == ModelUse) {
      for (UInt i = 0; i < CACHES; i++)
         cacheuse_empty(&used[i]);
      return;
   }
   icache_empty(&code);
   firstlevel_empty(&data);
   if (has_writeback())
      writeback_empty(&marked);
   else
      lastlevel_empty(&last);
   prefetch_empty(&prefetcher);
}

static void settle(void) { icache_age_lines(&code); }

void simulation_finish(void)
{
   if (model != ModelUse)
      return;
   CacheWasteReport* report = line_waste_listener();
   cacheuse_retire_first(&used[CacheI1], &used[CacheLL], report);
   cacheuse_retire_first(&used[CacheD1], &used[CacheLL], report);
   cacheuse_retire_last(&used[CacheLL], report);
}

/* Small caches, as first levels are, lie where generated code reaches them with a short
   address.  Of large ones the kernel makes the pages that are used, zeroed: the last level
   of a host may take 64 MB, of which a short program needs little.  */
#define NEAR_BYTES 0x10000
static UChar near_memory[NEAR_BYTES] __attribute__((aligned(64)));
static SizeT near_used;

static void* memory_for_cache(SizeT size)
{
   if (size > NEAR_BYTES - near_used) {
      void* memory = VG_(am_shadow_alloc)(size);
      if (memory == NULL)
         VG_(out_of_memory_NORETURN)("a simulated cache", size);
      return memory;
   }
   near_used += size;
   return near_memory + (near_used - size);
}

static void print_cache(const HChar* how, const CacheGeometry* cache)
{
   VG_(dmsg)("warning: %s LL cache: line_size %u  assoc %u  total_size %'u\n", how,
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
      VG_(umsg)("  %s: %'u B, %u-way, %u B lines\n", names[i], options.caches[i].size,
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
      is_always_called[kind] = simulation_is_always_called((ReferenceKind)kind);
   always_called = is_always_called[ReferenceWrite] ? PACKED_WRITES : 0;
}

static void set_up(void)
{
   const CacheGeometry* i1 = &options.caches[CacheI1];
   const CacheGeometry* d1 = &options.caches[CacheD1];
   const CacheGeometry* ll = &options.caches[CacheLL];
   /* With --cacheuse too: generated code is written by their shapes.  */
   icache_set_up(&code, i1, memory_for_cache(icache_bytes(i1)));
   firstlevel_set_up(&data, d1, memory_for_cache(firstlevel_bytes(d1)));
   if (has_writeback())
      writeback_set_up(&marked, ll, memory_for_cache(writeback_bytes(ll)));
   else if (model != ModelUse)
      lastlevel_set_up(&last, ll, memory_for_cache(lastlevel_bytes(ll)));
   for (UInt i = 0; i < CACHES && model == ModelUse; i++)
      cacheuse_set_up(&used[i], &options.caches[i],
                      memory_for_cache(cacheuse_bytes(&options.caches[i])));
}

/* An access may touch two lines, never three: stock refuses the same.  */
static void refuse_short_lines(void)
{
   UInt line = simulation_smallest_line();
   UInt needed = (UInt)VG_(machine_get_size_of_largest_guest_register)();
   if (line >= needed)
      return;
   VG_(fmsg)("A cache has lines of %u bytes, and a register holds %u here: "
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
   set_up();
   thread_before_countdown(settle);
}
