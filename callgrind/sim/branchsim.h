/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor.  A conditional branch is predicted by a counter,
   selected by its address and by the outcomes of the last conditional branches.  An
   indirect branch is predicted to go where it went last.  Returns are not simulated: they
   count as predicted.

   Owns no memory and knows nothing of the tool.  Sizes, indexing and first state are
   those of callgrind 3.19: the sizes are in Cachegrind's manual ("Branch Simulation
   Specifics"), the rest was found by running branches at chosen addresses
   (tests/simulators).  */

#ifndef CALLGRIND_BRANCHSIM_H
#define CALLGRIND_BRANCHSIM_H

#include <stdbool.h>
#include <stdint.h>

#define BRANCHSIM_HISTORY_BITS 7 /* outcomes that are remembered */
#define BRANCHSIM_ADDRESS_BITS 7 /* lowest bits of a conditional branch's address */
#define BRANCHSIM_TARGET_BITS 9  /* lowest bits of an indirect branch's address */

#define BRANCHSIM_TARGETS (1 << BRANCHSIM_TARGET_BITS)

/* A counter has two bits (0, 1: not taken; 2, 3: taken).  Those of one branch address
   make a row of 32 bytes, so that all that a program needs at a time stays in the host's
   cache: waiting for a counter took longer than all else.  */
#define BRANCHSIM_COUNTERS_IN_WORD 32
#define BRANCHSIM_ROW ((1 << BRANCHSIM_HISTORY_BITS) / BRANCHSIM_COUNTERS_IN_WORD)
#define BRANCHSIM_ROWS (1 << BRANCHSIM_ADDRESS_BITS)

/* All of its state.  It begins as all zero: each conditional branch is strongly predicted
   not taken, and each indirect one to go to address 0.  */
typedef struct {
   uint64_t counters[BRANCHSIM_ROWS][BRANCHSIM_ROW] __attribute__((aligned(64)));
   uintptr_t history; /* outcomes of the last conditional branches, the latest in bit 0 */
   uintptr_t targets[BRANCHSIM_TARGETS];
} BranchPredictor;

/* Back to the first state.  */
void branchsim_empty(BranchPredictor* predictor);

/* The row of counters of the conditional branch at `address`.  */
static inline uintptr_t branchsim_row(uintptr_t address)
{
   return address & (BRANCHSIM_ROWS - 1);
}

/* Where an indirect branch at `address` went last.  */
static inline const uintptr_t* branchsim_target(const BranchPredictor* predictor,
                                                uintptr_t address)
{
   return &predictor->targets[address & (BRANCHSIM_TARGETS - 1)];
}

/* What happens to a counter: four bits for each counter * 2 + taken.  They say which bits
   of it change (1, 2), and whether the prediction was wrong (4).  A table, because a
   guest branch that is hard to predict would make a host branch that is as hard to
   predict; and in one word, because a host computes faster than it reads.

      counter      not taken   taken
      0 (no)       0           1, wrong
      1            0           2, wrong
      2            1, wrong    3
      3 (yes)      2, wrong    3       */
#define BRANCHSIM_CHANGES 0x05177150u
#define BRANCHSIM_WRONG 4

/* The conditional branch with this row of counters is executed: taken (1) or not (0).
   True: mispredicted.  */
static inline bool branchsim_conditional(BranchPredictor* predictor, uintptr_t row,
                                         uintptr_t taken)
{
   uintptr_t history = predictor->history;
   uint64_t* word = &predictor->counters[row][history / BRANCHSIM_COUNTERS_IN_WORD];
   unsigned shift = (unsigned)(history % BRANCHSIM_COUNTERS_IN_WORD) * 2;
   uint64_t counters = *word;
   unsigned outcome = (unsigned)(counters >> shift & 3) * 2 + (unsigned)taken;
   unsigned change = BRANCHSIM_CHANGES >> (outcome * 4);
   *word = counters ^ (uint64_t)(change & 3) << shift;
   predictor->history =
      (history * 2 + taken) & (((uintptr_t)1 << BRANCHSIM_HISTORY_BITS) - 1);
   return (change & BRANCHSIM_WRONG) != 0;
}

/* The indirect branch at `address` is executed, and goes to `target`.  True:
   mispredicted.  */
static inline bool branchsim_indirect(BranchPredictor* predictor, uintptr_t address,
                                      uintptr_t target)
{
   uintptr_t* predicted = &predictor->targets[address & (BRANCHSIM_TARGETS - 1)];
   bool is_wrong = *predicted != target;
   *predicted = target;
   return is_wrong;
}

#endif
