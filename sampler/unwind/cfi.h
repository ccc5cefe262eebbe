/* SPDX-License-Identifier: GPL-2.0-or-later

   The call frame information of objects: by which rules the registers of a caller are
   found from those of a function, at an address of it.  Relies on libdw, which finds and
   reads .eh_frame and .debug_frame; owns the rules that were looked up already.  */

#ifndef SAMPLER_CFI_H
#define SAMPLER_CFI_H

#include "code/object.h"
#include "unwind/machine_state.h"

#include <elfutils/libdw.h>

typedef enum {
   RuleUndefined,
   RuleSame,      /* as in the function */
   RuleMemory,    /* at the CFA plus `number` */
   RuleValue,     /* the CFA plus `number` */
   RuleExpression /* what the operations yield */
} RuleKind;

typedef struct {
   uint8_t kind;
   uint8_t count; /* of the operations */
   int64_t number;
   Dwarf_Op* operations;
} Rule;

/* The rules at one address.  */
typedef struct {
   bool is_signal_frame;
   bool cfa_is_expression;
   uint8_t cfa_register;
   Rule cfa; /* a register plus `number`, or an expression */
   Rule registers[REGISTER_COUNT];
} CfiRow;

/* The rules at an address of the file.  NULL where it has none.  They live as long as the
   object.  */
const CfiRow* cfi_row(Object* object, uint64_t address);

/* The first address of the function that `address` is in, by the search table of
   .eh_frame_hdr, for code that has no symbol.  False if there is none.  */
bool cfi_function_start(Object* object, uint64_t address, uint64_t* start);

/* Finds the caller: `state` becomes the caller's.  False if it is not known.  *is_last is
   set if the rules say that there is none.  */
bool cfi_step(const CfiRow* row, MachineState* state, bool* is_last);

#endif
