/* SPDX-License-Identifier: GPL-2.0-or-later

   Evaluates DWARF expressions of call frame information on registers and a copy of the
   stack.  */

#ifndef SAMPLER_EXPRESSION_H
#define SAMPLER_EXPRESSION_H

#include "unwind/machine_state.h"

#include <elfutils/libdw.h>

/* Evaluates `count` operations.  *is_value says whether *result is the value itself, or
   the address where it is.  `cfa` is the canonical frame address; NULL if the
   expression is to find that.  False if the expression needs what is not known, is not
   valid, or takes too many steps.  */
bool expression_evaluate(const Dwarf_Op* operations, size_t count, MachineState* state,
                         const uint64_t* cfa, uint64_t* result, bool* is_value);

#endif
