/* SPDX-License-Identifier: GPL-2.0-or-later

   What the instructions of the superblock that is being translated cost on the processor
   that is modelled (--cycle-model).  */

#ifndef CALLGRIND_SUPERBLOCK_CYCLES_H
#define CALLGRIND_SUPERBLOCK_CYCLES_H

#include "model/reference.h"

#include "pub_tool_tooliface.h"

/* Finds out the costs of all its instructions.  */
void superblock_cycles_find(const IRSB* in);

/* What the instruction whose IMark is statement number `mark` costs, in hundredths of a
   cycle.  */
UInt superblock_cycles_of(UInt mark);

/* Sets what the outcomes of a reference cost.  Its instruction is counted from the IMark
   at statement number `first`.  */
void superblock_cycles_set_late(Reference* reference, UInt first);

#endif
