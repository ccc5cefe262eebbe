/* SPDX-License-Identifier: GPL-2.0-or-later

   The model of a branch predictor as processors have had them since about 2013: it knows
   branches by what came before them.  A conditional branch is looked up by its address
   and by histories of several lengths, each in a table of its own with tags; the longest
   history that is known predicts (TAGE, Seznec and Michaud 2006).  The same for the
   targets of indirect branches, whose history is where the last ones have led.

   So loops that end after a fixed number of turns, and interpreters, are predicted, which
   branchsim.h does not.  Sizes are choices: near what is known of processors.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_HISTORYSIM_H
#define CALLGRIND_HISTORYSIM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORYSIM_TABLES 4 /* with tags, for conditional branches */
#define HISTORYSIM_BITS 11  /* entries of each */
#define HISTORYSIM_BASE_BITS 13
#define HISTORYSIM_TARGET_TABLES 2
#define HISTORYSIM_TARGET_BITS 10

typedef struct {
   uint16_t tag;
   uint8_t counter; /* 0 to 7: not taken below 4 */
   uint8_t useful;  /* 0 to 3: it has been better than shorter histories */
} HistoryEntry;

typedef struct {
   uintptr_t target;
   uint32_t tag;
   uint32_t confidence; /* 0 to 3 */
} HistoryTarget;

/* All of its state.  It begins as all zero.  */
typedef struct {
   uint64_t outcomes; /* of the last conditional branches, the latest in bit 0 */
   uint64_t path;     /* the targets of the last indirect branches, the latest lowest */
   uint8_t base[1 << HISTORYSIM_BASE_BITS]; /* 0 to 3: not taken below 2 */
   HistoryEntry tables[HISTORYSIM_TABLES][1 << HISTORYSIM_BITS];
   uintptr_t last_targets[1 << HISTORYSIM_TARGET_BITS];
   HistoryTarget targets[HISTORYSIM_TARGET_TABLES][1 << HISTORYSIM_TARGET_BITS];
} HistoryPredictor;

/* The branch at `address` is executed, as in branchsim.h.  True: mispredicted.  */
bool historysim_conditional(HistoryPredictor* predictor, uintptr_t address, bool taken);
bool historysim_indirect(HistoryPredictor* predictor, uintptr_t address,
                         uintptr_t target);

#endif
