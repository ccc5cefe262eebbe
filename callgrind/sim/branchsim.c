/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor; see branchsim.h.  */

#include "sim/branchsim.h"

#define HISTORY_MASK ((1 << BRANCHSIM_HISTORY_BITS) - 1)
#define ADDRESS_MASK ((1 << BRANCHSIM_ADDRESS_BITS) - 1)

/* By counter * 2 + taken: the counter afterwards.  A table, because a guest branch that
   is hard to predict would make a host branch that is as hard to predict.  */
static const uint8_t counter_after[8] = {0, 1, 0, 2, 1, 3, 2, 3};

void branchsim_empty(BranchPredictor* predictor)
{
   for (int i = 0; i < BRANCHSIM_TARGETS; i++)
      predictor->targets[i] = 0;
   for (int i = 0; i < BRANCHSIM_COUNTERS; i++)
      predictor->counters[i] = 0;
   predictor->history = 0;
}

bool branchsim_conditional(BranchPredictor* predictor, uintptr_t address, bool taken)
{
   uint32_t outcome = taken;
   uint32_t index = (uint32_t)(address & ADDRESS_MASK) << BRANCHSIM_HISTORY_BITS |
                    (predictor->history & HISTORY_MASK);
   uint32_t counter = predictor->counters[index];
   predictor->counters[index] = counter_after[counter * 2 + outcome];
   predictor->history = predictor->history << 1 | outcome;
   return counter >> 1 != outcome;
}

bool branchsim_indirect(BranchPredictor* predictor, uintptr_t address, uintptr_t target)
{
   uintptr_t* predicted = &predictor->targets[address & (BRANCHSIM_TARGETS - 1)];
   bool is_wrong = *predicted != target;
   *predicted = target;
   return is_wrong;
}
