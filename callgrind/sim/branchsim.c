/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor; see branchsim.h.  */

#include "sim/branchsim.h"

void branchsim_empty(BranchPredictor* predictor)
{
   for (int i = 0; i < BRANCHSIM_TARGETS; i++)
      predictor->targets[i] = 0;
   for (int row = 0; row < BRANCHSIM_ROWS; row++)
      for (int i = 0; i < BRANCHSIM_ROW; i++)
         predictor->counters[row][i] = 0;
   predictor->history = 0;
}
