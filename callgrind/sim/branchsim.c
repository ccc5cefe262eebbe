/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor; see branchsim.h.  */

#include "sim/branchsim.h"

/* By counter, not taken and taken.  */
#define NEXT                                                                             \
   0, 2 | BRANCHSIM_WRONG, 0, 4 | BRANCHSIM_WRONG, 2 | BRANCHSIM_WRONG, 6,               \
      4 | BRANCHSIM_WRONG, 6
const uint16_t branchsim_next[BRANCHSIM_WRONG + 8] = {NEXT, [BRANCHSIM_WRONG] = NEXT};

void branchsim_empty(BranchPredictor* predictor)
{
   for (int i = 0; i < BRANCHSIM_TARGETS; i++)
      predictor->targets[i] = 0;
   for (int row = 0; row < BRANCHSIM_ROWS; row++)
      for (int i = 0; i < 1 << BRANCHSIM_HISTORY_BITS; i++)
         predictor->counters[row / 2][i][row & 1] = 0;
   predictor->history = 0;
}
