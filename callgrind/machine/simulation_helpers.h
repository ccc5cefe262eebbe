/* SPDX-License-Identifier: GPL-2.0-or-later

   What generated code calls to have references simulated.  Each helper counts the
   outcomes (misses, mispredictions) for the code that runs.

   The references of a group stand one behind the other, and the last one is marked.  A
   helper is passed as many of the arguments `a` to `d` as the group has.  */

#ifndef CALLGRIND_SIMULATION_HELPERS_H
#define CALLGRIND_SIMULATION_HELPERS_H

#include "guest/arch.h"
#include "machine/data_access.h"

/* Simulates the group that begins with `first`, in order.  Generated code has stored when
   the lines of code were used.  */
void simulation_group(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* As simulation_group(), with --cacheuse=yes.  */
void simulation_group_cacheuse(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* The helpers that are called most, for the D1 of this process, and for this host.  The
   first function is called once, before the other.  */
void simulation_helpers_init(void);
DataAccessHelpers simulation_helpers(void);

/* What the predictors know a branch by.  */
static inline UWord simulation_predicted_by(const Reference* branch)
{
   return branch->address / ARCH_CODE_ALIGNMENT;
}

/* The conditional branch `branch` is taken (1) or not (0).  */
void simulation_branch_conditional(const Reference* branch, UWord taken);

/* The indirect branch `branch` goes to `target`.  */
void simulation_branch_indirect(const Reference* branch, Addr target);

/* As simulation_branch_conditional() and simulation_branch_indirect(), with
   --cycle-model, which has a second predictor (sim/historysim.h).  */
void simulation_branch_conditional_cycles(const Reference* branch, UWord taken);
void simulation_branch_indirect_cycles(const Reference* branch, Addr target);

#endif
