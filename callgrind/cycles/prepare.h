/* SPDX-License-Identifier: GPL-2.0-or-later

   What the model of a processor (pipeline.h) is told of an instruction: what LLVM's model
   says of its form, and what processor_facts.h adds.  */

#ifndef CALLGRIND_PREPARE_H
#define CALLGRIND_PREPARE_H

#include "cycles/pipeline.h"

/* Fills in `instruction` from the code at `address`, of which `available` bytes may be
   read.  False if it is not known.  */
Bool prepare_instruction(const FormModel* model, Addr address, UInt available,
                         PipelineInstruction* instruction);

/* A comparison, or its like, and the branch that follows it may be a single operation,
   that of the branch.  */
void prepare_fused(PipelineInstruction* first, const PipelineInstruction* second);

#endif
