/* SPDX-License-Identifier: GPL-2.0-or-later

   What follows a miss of a first level, and how outcomes are counted: in the clock, and
   in the counters of the running context, as generated code counts.  Skipped code, and
   code that is not collected, has scratch counters and a clock that is set back later.
   It uses the caches all the same.

   Where one outcome is booked (misses_count_outcome()); each box depends on what stands
   before it, and the order matters:

      counters[outcome] += 1                       always: what the profile is made of
         |
         v  event rare?   rare_sync()              frames note the clock before it moves
         |
         v
      cost_clock[event] += 1                       always: inclusive costs
         |
         +- in a stub that was passed?  its arc's inclusive[event] += 1
         +- --cycle-model?              clock and stub: [Cy] += the reference's late cost
         +- in an inlined function?     calltree_now.inlined[event] += 1  (--call-tree)

   Which outcomes an access has:

      first level --hit--> nothing
         | miss: OutcomeMiss; with --cycle-model LateSecondMiss, LateWalk
         v
      last level --hit--> nothing more
         | miss: OutcomeLastMiss; a changed line went out: OutcomeWrittenBack
         v
      memory

   Shared by the files of machine/ only.  */

#ifndef CALLGRIND_MISSES_H
#define CALLGRIND_MISSES_H

#include "machine/simulators.h"
#include "stack/frames/rare_sync.h"
#include "stack/frames/shadowstack_types.h"

static inline void misses_add_cycles(const Reference* reference, UInt cycles)
{
   UInt event = cost_index(EventCy);
   cost_clock[event] += cycles;
   Arc* stub = shadowstack_stub_passed();
   if (UNLIKELY(stub != NULL))
      stub->inclusive[event] += cycles;
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event] += cycles;
}

/* With --cycle-model: an outcome that only costs cycles.  */
static inline void misses_count_late(const Reference* reference, UInt late)
{
   UInt outcome = reference_late_outcome(reference, late);
   shadowstack_now.counters[reference->outcomes + outcome]++;
   misses_add_cycles(reference, reference->late[late]);
}

/* The reference had this outcome.  */
static inline void misses_count_outcome(const Reference* reference, UInt outcome)
{
   shadowstack_now.counters[reference->outcomes + outcome]++;
   UInt event = reference_outcome_event(reference, outcome);
   if (cost_is_rare(event))
      rare_sync();
   cost_clock[event]++;
   Arc* stub = shadowstack_stub_passed();
   if (UNLIKELY(stub != NULL))
      stub->inclusive[event]++;
   if (outcome < LateSecondMiss && cost_is_counted(EventCy))
      misses_add_cycles(reference, reference->late[outcome]);
   if (reference->inlined != 0)
      calltree_now.inlined[(reference->inlined - 1) * cost_stride() + event]++;
}

/* The last level was missed, too.  Not inline, since most misses of a first level hit the
   last one.  */
void misses_count_last(const Reference* reference, CacheOutcome outcome);

/* With --cycle-model: what is not in the first level may be in the second.  The page is
   looked up here as well: that of a line in the first level was used not long ago.  */
void misses_access_second(const Reference* reference, Addr address);

/* The first level was missed, with this outcome.  */
static inline void misses_count(const Reference* reference, Addr address,
                                CacheOutcome outcome)
{
   misses_count_outcome(reference, OutcomeMiss);
   if (simulators.counts_cycles)
      misses_access_second(reference, address);
   if (outcome != CacheLLHit)
      misses_count_last(reference, outcome);
}

/* In any model but ModelPlain.  */
CacheOutcome misses_access_other(const Reference* reference, Addr address);

/* What the first level has missed goes to the last one.  */
static inline CacheOutcome misses_access_last(const Reference* reference, Addr address)
{
   return simulators.model == ModelPlain
             ? lastlevel_access(&simulators.ll, address, reference->size)
             : misses_access_other(reference, address);
}

#endif
