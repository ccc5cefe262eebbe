/* SPDX-License-Identifier: GPL-2.0-or-later

   Helpers of generated code; see simulation_helpers.h.  Owns the choice of those for
   accesses to data, which depend on the host (data_access.h).  */

#include "machine/simulation_helpers.h"

#include "layout/code_layout.h"
#include "machine/data_access_avx2.h"
#include "machine/host_vectors.h"
#include "machine/in_order.h"
#include "machine/line_waste.h"
#include "machine/misses.h"
#include "stack/threads/thread.h"

/* Those of this process.  */
static DataAccessHelpers helpers;

void simulation_helpers_init(void)
{
   const FirstLevel* d1 = &simulators.d1;
   helpers = host_has_avx2() ? data_access_avx2_helpers(d1) : data_access_helpers(d1);
   in_order_init(helpers.access_data);
}

DataAccessHelpers simulation_helpers(void) { return helpers; }

static CacheOutcome access_with_use(const Reference* reference, Addr address)
{
   UInt first = reference->kind == ReferenceFetch ? CacheI1 : CacheD1;
   return cacheuse_access(&simulators.with_use[first], &simulators.with_use[CacheLL],
                          address, reference->size, line_waste_loader(reference),
                          line_waste_report());
}

/*--------------------------------------------------------------------*/
/* Groups                                                              */

void simulation_group(const Reference* first, Addr a, Addr b, Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   in_order_simulate(first, arguments);
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
                           code_layout_target(target)))
      misses_count_late(branch, LateMispredicted);
}
