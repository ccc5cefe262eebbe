/* SPDX-License-Identifier: GPL-2.0-or-later

   What one instruction costs by itself, without regard to what is around it, on the
   processor that is modelled; and which instructions no table knows.  */

#ifndef CALLGRIND_INSTRUCTION_CYCLES_H
#define CALLGRIND_INSTRUCTION_CYCLES_H

#include "core_version.h"

/* In hundredths of a cycle.  */
typedef struct {
   UInt throughput; /* from one such instruction to the next, if nothing depends on it */
   UInt latency;    /* from its operands to its result */
} InstructionCycles;

/* What an instruction costs that no table knows.  */
#define CYCLES_UNKNOWN 100

/* Are there tables for the architecture of the guest?  */
Bool cycles_are_known(void);

/* The costs of the instruction of `size` bytes at `code`.  One that is not known is
   noted.  */
InstructionCycles instruction_cycles(const UChar* code, UInt size);

/* Prints which instructions were not known; nothing if all were.  */
void instruction_cycles_report(void);

#endif
