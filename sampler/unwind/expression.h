/* SPDX-License-Identifier: GPL-2.0-or-later

   DWARF expressions, as call frame information has them, evaluated on registers and a
   piece of memory.  */

#ifndef SAMPLER_EXPRESSION_H
#define SAMPLER_EXPRESSION_H

#include "perf/record.h"

#include <elfutils/libdw.h>

/* What is known of a thread at a moment: its registers, by DWARF number, and its stack.  */
typedef struct {
   uint64_t registers[REGISTER_COUNT];
   uint32_t known; /* a bit for each register that is known */
   const uint8_t* stack;
   uint64_t stack_start; /* its address */
   uint64_t stack_size;
   bool beyond;       /* set when memory behind the end of the stack was asked for */
   uint64_t farthest; /* which memory that was, the last time */
} MachineState;

/* Reads 1, 2, 4 or 8 bytes of the stack.  False if they are not there.  */
bool machine_state_read(MachineState* state, uint64_t address, unsigned size,
                        uint64_t* value);

/* Evaluates `count` operations.  *is_value tells whether the result is the value itself,
   or where it lies.  `cfa` is the canonical frame address, NULL if that is being sought.
   False where the expression asks for what is not known, is not valid, or takes too
   long.  */
bool expression_evaluate(const Dwarf_Op* operations, size_t count, MachineState* state,
                         const uint64_t* cfa, uint64_t* result, bool* is_value);

#endif
