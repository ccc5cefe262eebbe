/* SPDX-License-Identifier: GPL-2.0-or-later

   What generated code calls to have references simulated.  Each helper counts the
   outcomes (misses, mispredictions) for the code that runs.

   The references of a group stand one behind the other, and the last one is marked.  A
   helper is passed as many of the arguments `a` to `d` as the group has.  */

#ifndef CALLGRIND_SIMULATION_HELPERS_H
#define CALLGRIND_SIMULATION_HELPERS_H

#include "guest/arch.h"
#include "model/reference.h"
#include "sim/firstlevel.h"

/* Simulates the group that begins with `first`, in order.  Generated code has stored when
   the lines of code were used.  */
void simulation_group(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* As simulation_group(), with --cacheuse=yes.  */
void simulation_group_cacheuse(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* The helpers that are called most.  There are several of each, made for the commonest
   shapes of D1.  */
typedef struct {
   /* As simulation_group(), for a group with data, of which `first` is the first access.
      `missed` is what the check has computed: ICACHE_LINE_ABSENT if a line of code is
      absent, and only then.  */
   void (*access)(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                  Addr d);
   /* The same for a group with a single access to data, which is its last reference, and
      is neither guarded nor of a kind that is always simulated.  */
   void (*access_one)(SizedReference access, UWord missed, Addr address);
   /* As simulation_group() where generated code has not stored when lines of code were
      used.  Each gets its time when its turn comes.  For groups whose lines may evict
      each other, and for cold code (cold_code.h), of which it also counts the MRU misses
      (Reference.mru_misses).  */
   void (*access_untimed)(Reference* first, Addr a, Addr b, Addr c, Addr d);
   /* Any access to data.  Not for generated code.  */
   void (*access_data)(const Reference* reference, Addr address);
} SimulationHelpers;

/* Those for the D1 of this process, and for this host; the first once, before the
   other.  */
void simulation_helpers_init(void);
SimulationHelpers simulation_helpers(void);

/* Those for this D1: on any host, and on one that has AVX2.  */
SimulationHelpers data_access_helpers(const FirstLevel* d1);
SimulationHelpers data_access_avx2_helpers(const FirstLevel* d1);

/* A fetch whose lines of code are used at `countdown`; ICACHE_LINE_AGED: generated code
   has stored when.  The first of these does the commonest case inline.  */
void simulation_fetch_any(const Reference* reference, UInt countdown);

static inline void simulation_fetch(const Reference* reference, UInt countdown)
{
   if (LIKELY(reference->line->state == ICACHE_LINE_PRESENT && !reference->is_from_two)) {
      if (countdown != ICACHE_LINE_AGED)
         reference->line->countdown = countdown;
   } else
      simulation_fetch_any(reference, countdown);
}

/* Simulates the group that begins with `reference`, as simulation_group().  `arguments`
   are as many as the group has, and 0 behind the last possible one.  */
void simulation_in_order(const Reference* reference, const Addr* arguments);

/* What the predictors know a branch by.  */
static inline UWord simulation_predicted_by(const Reference* branch)
{
   return branch->address / ARCH_CODE_ALIGNMENT;
}

/* The conditional branch `branch` is taken (1) or not (0).  */
void simulation_branch_conditional(const Reference* branch, UWord taken);

/* The indirect branch `branch` goes to `target`.  */
void simulation_branch_indirect(const Reference* branch, Addr target);

/* The same with --cycle-model, which has a second predictor (sim/historysim.h).  */
void simulation_branch_conditional_cycles(const Reference* branch, UWord taken);
void simulation_branch_indirect_cycles(const Reference* branch, Addr target);

#endif
