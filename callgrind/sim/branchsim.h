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

#define BRANCHSIM_ROWS (1 << BRANCHSIM_ADDRESS_BITS)

/* All of its state.  It begins as all zero: each conditional branch is strongly predicted
   not taken, and each indirect one to go to address 0.

   The counters of one branch address are a row, by history.  Two rows are interleaved, so
   that a history is an index of pairs: a host doubles an index while it computes an
   address.  */
typedef struct {
   uint8_t counters[BRANCHSIM_ROWS / 2][1 << BRANCHSIM_HISTORY_BITS][2]
      __attribute__((aligned(64)));
   uintptr_t history; /* outcomes of the last conditional branches, the latest in bit 0 */
   uintptr_t targets[BRANCHSIM_TARGETS];
} BranchPredictor;

/* A counter is twice its value (0, 1: not taken; 2, 3: taken), and has this bit if the
   last branch that it predicted was mispredicted.  What becomes of it is looked up under
   counter + taken.  A table, because a guest branch that is hard to predict would make a
   host branch that is as hard to predict.  */
#define BRANCHSIM_WRONG_BIT 7
#define BRANCHSIM_WRONG (1 << BRANCHSIM_WRONG_BIT)
extern const uint16_t branchsim_next[BRANCHSIM_WRONG + 8];

/* Back to the first state.  */
void branchsim_empty(BranchPredictor* predictor);

/* The row of counters of the conditional branch at `address`: a history's counter is
   twice the history behind it.  */
static inline uint8_t* branchsim_row(BranchPredictor* predictor, uintptr_t address)
{
   uintptr_t row = address & (BRANCHSIM_ROWS - 1);
   return &predictor->counters[row / 2][0][row & 1];
}

/* Where an indirect branch at `address` went last.  */
static inline const uintptr_t* branchsim_target(const BranchPredictor* predictor,
                                                uintptr_t address)
{
   return &predictor->targets[address & (BRANCHSIM_TARGETS - 1)];
}

/* The conditional branch with this row of counters is executed: taken (1) or not (0).
   True: mispredicted.  Instrumented code does the same inline.  */
static inline bool branchsim_conditional(BranchPredictor* predictor, uint8_t* row,
                                         uintptr_t taken)
{
   uintptr_t history = predictor->history;
   uint8_t* counter = row + history * 2;
   unsigned next = branchsim_next[*counter + taken];
   *counter = (uint8_t)next;
   predictor->history =
      (history * 2 + taken) & (((uintptr_t)1 << BRANCHSIM_HISTORY_BITS) - 1);
   return next >> BRANCHSIM_WRONG_BIT != 0;
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
