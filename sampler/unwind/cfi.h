/* SPDX-License-Identifier: GPL-2.0-or-later

   Call frame information: the rules by which the registers of a caller are found from
   those at an address of a function.  Owns the rules that were looked up before.
   Relies on libdw to read .eh_frame and .debug_frame.  */

#ifndef SAMPLER_CFI_H
#define SAMPLER_CFI_H

#include "code/object.h"
#include "unwind/machine_state.h"

#include <elfutils/libdw.h>

typedef enum {
   RuleUndefined,
   RuleSame,      /* in register `number`, as in the function */
   RuleMemory,    /* at the CFA plus `number` */
   RuleValue,     /* the CFA plus `number` */
   RuleExpression /* by DWARF operations: the value, or where it is */
} RuleKind;

typedef struct {
   uint8_t kind;  /* RuleKind */
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

/* The rules at an address of the file; NULL if there are none.  They live as long as the
   object.  */
const CfiRow* cfi_row(Object* object, uint64_t address);

/* Finds the first address of the function that `address` is in, by the search table of
   .eh_frame_hdr: for code without a symbol.  False if there is none.  */
bool cfi_function_start(Object* object, uint64_t address, uint64_t* start);

/* False if the rules need a register for the frame that is not known.  */
bool cfi_finds_frame(const CfiRow* row, const MachineState* state);

/* Makes `state` that of the caller.  False if it is not known, or there is none; *is_last
   says whether the rules say that there is none.  */
bool cfi_step(const CfiRow* row, MachineState* state, bool* is_last);

#endif
