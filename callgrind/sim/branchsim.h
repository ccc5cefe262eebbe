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

#define BRANCHSIM_COUNTERS (1 << (BRANCHSIM_HISTORY_BITS + BRANCHSIM_ADDRESS_BITS))
#define BRANCHSIM_TARGETS (1 << BRANCHSIM_TARGET_BITS)

/* All of its state.  It begins as all zero: each conditional branch is strongly predicted
   not taken, and each indirect one to go to address 0.  */
typedef struct {
   uintptr_t targets[BRANCHSIM_TARGETS];
   uint32_t history; /* outcomes of the last conditional branches, the latest in bit 0 */
   uint8_t counters[BRANCHSIM_COUNTERS]; /* 0, 1: not taken; 2, 3: taken */
} BranchPredictor;

/* Back to the first state.  */
void branchsim_empty(BranchPredictor* predictor);

/* The conditional branch at `address` is executed: taken or not.  True: mispredicted.  */
bool branchsim_conditional(BranchPredictor* predictor, uintptr_t address, bool taken);

/* The indirect branch at `address` is executed, and goes to `target`.  True:
   mispredicted.  */
bool branchsim_indirect(BranchPredictor* predictor, uintptr_t address, uintptr_t target);

#endif
