/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor: for conditional branches counters that remember what
   happened after the same history, for indirect ones the last target.  Returns are not
   its business: they are taken to be predicted always.

   Owns no memory and knows nothing of the tool.  Sizes, indexing and first state are
   those of callgrind 3.19: the sizes are in Cachegrind's manual ("Branch Simulation
   Specifics"), the rest was found by running branches at chosen addresses
   (tests/simulators).  */

#ifndef CALLGRIND_BRANCHSIM_H
#define CALLGRIND_BRANCHSIM_H

#include <stdbool.h>
#include <stdint.h>

#define BRANCHSIM_HISTORY_BITS 7 /* so many branches back */
#define BRANCHSIM_ADDRESS_BITS 7 /* the lowest of a conditional branch's address */
#define BRANCHSIM_TARGET_BITS 9  /* the lowest of an indirect branch's address */

#define BRANCHSIM_COUNTERS (1 << (BRANCHSIM_HISTORY_BITS + BRANCHSIM_ADDRESS_BITS))
#define BRANCHSIM_TARGETS (1 << BRANCHSIM_TARGET_BITS)

/* All of its state.  All zero is how it begins: each branch is predicted not to be taken,
   and that for certain; every indirect branch to go to 0.  */
typedef struct {
   uintptr_t targets[BRANCHSIM_TARGETS];
   uint32_t history; /* of the last conditional branches, the newest in bit 0 */
   uint8_t counters[BRANCHSIM_COUNTERS]; /* 0 and 1: will not be taken; 2 and 3: will */
} BranchPredictor;

/* Forgets everything.  */
void branchsim_empty(BranchPredictor* predictor);

/* A conditional branch at `address` was taken, or was not.  True: mispredicted.  */
bool branchsim_conditional(BranchPredictor* predictor, uintptr_t address, bool taken);

/* An indirect branch at `address` went to `target`.  True: mispredicted.  */
bool branchsim_indirect(BranchPredictor* predictor, uintptr_t address, uintptr_t target);

#endif
