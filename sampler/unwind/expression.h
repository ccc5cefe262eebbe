/* SPDX-License-Identifier: GPL-2.0-or-later

   DWARF expressions, as call frame information has them, evaluated on registers and a
   piece of memory.  */

#ifndef SAMPLER_EXPRESSION_H
#define SAMPLER_EXPRESSION_H

#include "unwind/machine_state.h"

#include <elfutils/libdw.h>

/* Evaluates `count` operations.  *is_value tells whether the result is the value itself,
   or where it lies.  `cfa` is the canonical frame address, NULL if that is being sought.
   False where the expression asks for what is not known, is not valid, or takes too
   long.  */
bool expression_evaluate(const Dwarf_Op* operations, size_t count, MachineState* state,
                         const uint64_t* cfa, uint64_t* result, bool* is_value);

#endif
