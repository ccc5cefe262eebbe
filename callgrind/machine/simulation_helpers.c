/* SPDX-License-Identifier: GPL-2.0-or-later

   Helpers of generated code; see simulation_helpers.h.  Those for accesses to data, which
   depend on the host, are in data_access.h.  */

#include "machine/simulation_helpers.h"

#include "machine/host_vectors.h"
#include "machine/line_waste.h"
#include "machine/misses.h"
#include "stack/threads/thread.h"

/* Those of this process.  */
static SimulationHelpers helpers;

void simulation_helpers_init(void)
{
   const FirstLevel* d1 = &simulators.d1;
   helpers = host_has_avx2() ? data_access_avx2_helpers(d1) : data_access_helpers(d1);
}

SimulationHelpers simulation_helpers(void) { return helpers; }

/*--------------------------------------------------------------------*/
/* One access                                                          */

void simulation_fetch_any(const Reference* reference, UInt countdown)
{
   ICacheLine* line = reference->line;
   Bool is_hit = True;
   /* The last level is needed if the line is absent, after it has been brought in.  */
   __builtin_prefetch(lastlevel_set_of(&simulators.ll, reference->address), 1);
   for (UInt left = reference->is_from_two ? 2 : 1; left > 0; left--) {
      if (countdown != ICACHE_LINE_AGED)
         line->countdown = countdown;
      is_hit = icache_touch(&simulators.i1, line) && is_hit;
      line = line->following;
   }
   if (!is_hit)
      misses_count(reference, reference->address,
                   misses_access_last(reference, reference->address));
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

static inline void simulate(const Reference* reference, const Addr* arguments)
{
   if (reference->kind == ReferenceFetch) {
      simulation_fetch(reference, ICACHE_LINE_AGED);
      return;
   }
   Addr address = reference->address + arguments[reference->argument];
   const FirstLevel* d1 = &simulators.d1;
   if (simulators.is_always_called[reference->kind] ||
       !firstlevel_is_mru_hit(d1, d1->shape, address, reference->size))
      helpers.access_data(reference, address);
}

/* In program order: the last level is shared by code and data, and its state depends on
   the order in which misses of the first levels reach it.  */
void simulation_in_order(const Reference* reference, const Addr* arguments)
{
   for (;; reference++) {
      simulate(reference, arguments);
      if (reference->is_last)
         return;
   }
}

void simulation_group(const Reference* first, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   simulation_in_order(first, arguments);
}

void simulation_group_cacheuse(const Reference* reference, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   for (;; reference++) {
      Addr address = reference->address + arguments[reference->argument];
      if (!reference->is_guarded || address != REFERENCE_NOT_MADE) {
         CacheOutcome outcome = access_with_use(reference, address);
         if (outcome != CacheHit)
            misses_count(reference, address, outcome);
      }
      if (reference->is_last)
         return;
   }
}

/*--------------------------------------------------------------------*/
/* Branches                                                            */

static void count_if(Bool is_mispredicted, const Reference* branch)
{
   if (is_mispredicted)
      misses_count_outcome(branch, OutcomeMispredicted);
}

void simulation_branch_conditional(const Reference* branch, UWord taken)
{
   UWord address = simulation_predicted_by(branch);
   BranchPredictor* predictor = &simulators.predictor;
   count_if(branchsim_conditional(predictor, branchsim_row(predictor, address), taken),
            branch);
}

void simulation_branch_indirect(const Reference* branch, Addr target)
{
   UWord address = simulation_predicted_by(branch);
   count_if(branchsim_indirect(&simulators.predictor, address, target), branch);
}

void simulation_branch_conditional_cycles(const Reference* branch, UWord taken)
{
   simulation_branch_conditional(branch, taken);
   if (historysim_conditional(&simulators.by_history, simulation_predicted_by(branch),
                              taken != 0))
      misses_count_late(branch, LateMispredicted);
}

void simulation_branch_indirect_cycles(const Reference* branch, Addr target)
{
   simulation_branch_indirect(branch, target);
   if (historysim_indirect(&simulators.by_history, simulation_predicted_by(branch),
                           target))
      misses_count_late(branch, LateMispredicted);
}
