/* SPDX-License-Identifier: GPL-2.0-or-later

   Operands in memory of instructions that the host executes, as VEX's intermediate code.
   Everything is added to the end of a superblock.  */

#ifndef CALLGRIND_OPERANDS_IN_MEMORY_H
#define CALLGRIND_OPERANDS_IN_MEMORY_H

#include "host_instructions/host_instruction.h"

/* The address of the operand of the instruction at `at`; of a gather or scatter, what is
   added to each index.  */
IRExpr* operands_address(IRSB* out, const HostInstruction* instruction, Addr at);

/* Shows the accesses of a gather, or scatter, whose address is `base`: loads each element
   that its mask selects, and stores it again.  */
void operands_show_elements(IRSB* out, const HostInstruction* instruction, IRExpr* base);

#endif
