/* SPDX-License-Identifier: GPL-2.0-or-later

   What the instructions of the superblock that is being translated cost on the processor
   that is modelled (--cycle-model).  */

#ifndef CALLGRIND_SUPERBLOCK_CYCLES_H
#define CALLGRIND_SUPERBLOCK_CYCLES_H

#include "cycles/loop_cycles.h"
#include "model/block_record.h"

#include "pub_tool_tooliface.h"

/* The costs of one superblock's instructions.  */
typedef struct {
   UInt n;
   UInt marks[BLOCK_MAX_INSTRUCTIONS];  /* numbers of statements, ascending */
   UChar sizes[BLOCK_MAX_INSTRUCTIONS]; /* in bytes */
   UInt costs[BLOCK_MAX_INSTRUCTIONS];  /* in hundredths of a cycle */
   LoopMiss misses[BLOCK_MAX_INSTRUCTIONS];
} SuperblockCycles;

/* Finds out the costs of all instructions of `in`.  */
void superblock_cycles_find(SuperblockCycles* cycles, const IRSB* in);

/* What the instruction whose IMark is statement number `mark` costs, in hundredths of a
   cycle.  */
UInt superblock_cycles_of(const SuperblockCycles* cycles, UInt mark);

/* Sets what the outcomes of a reference cost.  Its instruction is counted from the IMark
   at statement number `first`.  */
void superblock_cycles_set_late(const SuperblockCycles* cycles, Reference* reference,
                                UInt first);

#endif
