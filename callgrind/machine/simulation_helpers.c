/* SPDX-License-Identifier: GPL-2.0-or-later

   Helpers of generated code; see simulation_helpers.h.

   Outcomes are counted where generated code counts: in the clock, and in the counters of
   the running context.  Skipped code, and code that is not collected, has scratch
   counters and a clock that is set back later.  It uses the caches all the same.  */

#include "machine/simulation_helpers.h"

#include "guest/arch.h"
#include "machine/line_waste.h"
#include "machine/simulators.h"
#include "stack/rare_sync.h"
#include "stack/thread.h"

/*--------------------------------------------------------------------*/
/* Counting                                                            */

static inline void add_late(const Reference* reference, UInt outcome)
{
   UInt event = cost_index(EventCy);
   if (event == COST_NOT_COUNTED || outcome >= REFERENCE_LATE)
      return;
   cost_clock[event] += reference->late[outcome];
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event] +=
         reference->late[outcome];
}

static inline void count(const Reference* reference, UInt outcome)
{
   shadowstack_now.counters[reference->outcomes + outcome]++;
   UInt event = reference_outcome_event(reference, outcome);
   if (cost_is_rare(event))
      rare_sync();
   cost_clock[event]++;
   add_late(reference, outcome);
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event]++;
}

/* Kept out of count_miss(), since most misses of a first level hit the last one.  */
static __attribute__((noinline)) void count_last_miss(const Reference* reference,
                                                      CacheOutcome outcome)
{
   count(reference, OutcomeLastMiss);
   if (outcome == CacheMemoryDirty)
      count(reference, OutcomeWrittenBack);
}

/* The first level was missed, with this outcome.  */
static inline void count_miss(const Reference* reference, CacheOutcome outcome)
{
   count(reference, OutcomeMiss);
   if (outcome != CacheLLHit)
      count_last_miss(reference, outcome);
}

/*--------------------------------------------------------------------*/
/* One access                                                          */

static __attribute__((noinline)) CacheOutcome
access_other_last_level(const Reference* reference, Addr address)
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

/* What the first level has missed goes to the last one.  */
static inline CacheOutcome access_last(const Reference* reference, Addr address)
{
   return simulators.model == ModelPlain
             ? lastlevel_access(&simulators.ll, address, reference->size)
             : access_other_last_level(reference, address);
}

/* Its lines of code are used at `countdown`; ICACHE_LINE_AGED: generated code has stored
   when.  */
static void fetch(const Reference* reference, UInt countdown)
{
   ICacheLine* line = reference->line;
   Bool is_hit = True;
   for (UInt left = reference->is_from_two ? 2 : 1; left > 0; left--) {
      if (countdown != ICACHE_LINE_AGED)
         line->countdown = countdown;
      is_hit = icache_touch(&simulators.i1, line) && is_hit;
      line = line->following;
   }
   if (!is_hit)
      count_miss(reference, access_last(reference, reference->address));
}

/* An access that may be an MRU miss.  True: all its lines were in D1.  */
static inline __attribute__((always_inline)) Bool touch_data(Addr address, UInt size,
                                                             UInt groups)
{
   return firstlevel_touch(&simulators.d1, address, size, groups,
                           lastlevel_set_of(&simulators.ll, address));
}

static __attribute__((noinline)) void miss_data(const Reference* reference, Addr address)
{
   count_miss(reference, access_last(reference, address));
}

/* Any access to data, in any model but ModelUse.  */
static void access_data(const Reference* reference, Addr address)
{
   if (reference->is_guarded && address == REFERENCE_NOT_MADE)
      return;
   if (!touch_data(address, reference->size, firstlevel_groups(&simulators.d1)))
      miss_data(reference, address);
   else if (simulators.is_always_called[reference->kind])
      writeback_access_last(&simulators.ll_writeback, address, reference->size, True);
}

static CacheOutcome access_with_use(const Reference* reference, Addr address)
{
   UInt first = reference->kind == ReferenceFetch ? CacheI1 : CacheD1;
   return cacheuse_access(&simulators.with_use[first], &simulators.with_use[CacheLL],
                          address, reference->size, line_waste_loader(reference),
                          line_waste_report());
}

/*--------------------------------------------------------------------*/
/* Groups in order                                                     */

/* One reference of a group.  `countdown` as for fetch().  True: it was an MRU miss.  */
static inline Bool simulate(const Reference* reference, UInt countdown,
                            const Addr* arguments)
{
   Addr address = reference->address + arguments[reference->argument];
   if (reference->kind == ReferenceFetch) {
      fetch(reference, countdown);
      return False;
   }
   Bool is_always_called = simulators.is_always_called[reference->kind];
   if (LIKELY(!is_always_called) &&
       firstlevel_is_mru_hit(&simulators.d1, address, reference->size))
      return False;
   access_data(reference, address);
   return !is_always_called;
}

/* In program order: the last level is shared by code and data, and its state depends on
   the order in which misses of the first levels reach it.  */
static inline void simulate_timed(const Reference* reference, const Addr* arguments)
{
   for (;; reference++) {
      simulate(reference, ICACHE_LINE_AGED, arguments);
      if (reference->is_last)
         return;
   }
}

void simulation_group(const Reference* first, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   simulate_timed(first, arguments);
}

/* For the next translation.  No cost depends on it.  */
static inline void count_mru_miss(Reference* reference)
{
   if (reference->mru_misses < REFERENCE_OFTEN_MISSES_MRU)
      reference->mru_misses++;
}

void simulation_group_untimed(Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   UInt countdown = thread_countdown();
   for (;; reference++) {
      if (simulate(reference, countdown, arguments))
         count_mru_miss(reference);
      if (reference->is_last)
         return;
   }
}

void simulation_group_cacheuse(const Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      if (!reference->is_guarded || address != REFERENCE_NOT_MADE) {
         CacheOutcome outcome = access_with_use(reference, address);
         if (outcome != CacheHit)
            count_miss(reference, outcome);
      }
      if (reference->is_last)
         return;
   }
}

/*--------------------------------------------------------------------*/
/* Groups with data                                                    */

static __attribute__((noinline)) void access_unpacked(const Reference* reference,
                                                      const Addr* arguments)
{
   access_data(reference, reference->address + arguments[reference->argument]);
}

/* If all lines of code are there, fetches change nothing, and only the data are
   simulated.  The reference itself is read only if its data miss: the host may have to
   wait for it.  */
static inline __attribute__((always_inline)) void
access_group(const PackedReference* first, UWord missed, const Addr* arguments,
             UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      const Reference* reference = reference_of_packed(first);
      simulate_timed(reference - reference->before, arguments);
      return;
   }
   const FirstLevel* d1 = &simulators.d1;
   for (const PackedReference* access = first;; access++) {
      const PackedReference packed = *access;
      if (UNLIKELY((packed & PACKED_ARGUMENT) == PACKED_INCOMPLETE ||
                   (packed & simulators.always_called) != 0))
         access_unpacked(reference_of_packed(access), arguments);
      else {
         Addr address = (Addr)((Long)packed >> 32) + arguments[packed & PACKED_ARGUMENT];
         UInt size = packed >> PACKED_SIZE_SHIFT & PACKED_SIZE;
         if (UNLIKELY(!firstlevel_is_mru_hit(d1, address, size)) &&
             !touch_data(address, size, groups))
            miss_data(reference_of_packed(access), address);
      }
      if (packed & PACKED_IS_LAST)
         return;
   }
}

/* Simulates the whole group whose last reference, and only access to data, is
   `access`.  */
static __attribute__((noinline)) void simulate_up_to(const Reference* access,
                                                     Addr address)
{
   Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {0};
   arguments[access->argument] = address - access->address;
   simulate_timed(access - access->before, arguments);
}

static inline __attribute__((always_inline)) void
access_one(SizedReference sized, UWord missed, Addr address, UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      simulate_up_to(reference_of_sized(sized), address);
      return;
   }
   if (touch_data(address, reference_size_of_sized(sized), groups))
      return;
   const Reference* reference = reference_of_sized(sized);
   count_miss(reference, access_last(reference, address));
}

/* The same for any shape of D1, and for the commonest ones.  With a constant number of
   tag groups the compiler unrolls the loops over them; loops and calls would take a third
   of the time.  */
static void access_any(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                       Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups(&simulators.d1));
}

static void access_8_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                          Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups_of(8));
}

static void access_12_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                           Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups_of(12));
}

static void access_one_any(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups(&simulators.d1));
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

/*--------------------------------------------------------------------*/
/* Branches                                                            */

/* What the predictor knows a branch by.  */
static uintptr_t predicted_by(const Reference* branch)
{
   return branch->address / ARCH_CODE_ALIGNMENT;
}

void simulation_branch_conditional(const Reference* branch, UWord taken)
{
   if (branchsim_conditional(&simulators.predictor, predicted_by(branch), taken != 0))
      count(branch, OutcomeMispredicted);
}

void simulation_branch_indirect(const Reference* branch, Addr target)
{
   if (branchsim_indirect(&simulators.predictor, predicted_by(branch), target))
      count(branch, OutcomeMispredicted);
}
