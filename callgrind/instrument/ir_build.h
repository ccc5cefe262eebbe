/* SPDX-License-Identifier: GPL-2.0-or-later

   Small pieces of IR, as generated code is put together from them.

   Expressions are flat: what a function takes and returns is a constant or a temporary.
   A word is as wide as an address, of the guest and of the host alike.  */

#ifndef CALLGRIND_IR_BUILD_H
#define CALLGRIND_IR_BUILD_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

#define IR_WORD (VG_WORDSIZE == 8 ? Ity_I64 : Ity_I32)

/* The operation on words, by its name without the width: IR_WORD_OP(Iop_Add).  */
#define IR_WORD_OP(name) (VG_WORDSIZE == 8 ? name##64 : name##32)

IRExpr* ir_word(UWord value);

/* The address that the guest's code names.  */
Addr ir_constant_address(const IRConst* constant);

IRExpr* ir_address(const void* address);

/* A new temporary.  */
IRExpr* ir_assign(IRSB* out, IRType type, IRExpr* value);

/* The same of an operation on words that gives a word; of one that gives a truth.  */
IRExpr* ir_compute(IRSB* out, IROp operation, IRExpr* a, IRExpr* b);
IRExpr* ir_compare(IRSB* out, IROp operation, IRExpr* a, IRExpr* b);

IRExpr* ir_load(IRSB* out, IRType type, IRExpr* address);
void ir_store(IRSB* out, IRExpr* address, IRExpr* value);

/* `base` + `offset`.  */
IRExpr* ir_plus(IRSB* out, IRExpr* base, UWord offset);

/* *(base + offset) += amount, 64 bits wide.  */
void ir_add_value_to(IRSB* out, IRExpr* base, UWord offset, IRExpr* amount);
void ir_add_to(IRSB* out, IRExpr* base, UWord offset, ULong amount);

/* The same for two numbers, one behind the other; what is added to them stands at `base`
   + `amounts`.  */
void ir_add_pair_to(IRSB* out, IRExpr* base, UWord offset, UWord amounts);

/* Generated code reaches the running thread's state and the clock from one address:
   load it, and add the distance to what is wanted.  */
IRExpr* ir_load_shared_base(IRSB* out);
UWord ir_from_shared_base(const void* address);

/* The address of what is wanted, from the base.  */
IRExpr* ir_near(IRSB* out, IRExpr* shared_base, const void* address);

/* A call of a helper, to be added to a superblock.  */
IRDirty* ir_call(const HChar* name, void* function, IRExpr** arguments);

/* The same of one that looks at the guest's stack pointer.  */
IRDirty* ir_call_with_sp(const HChar* name, void* function, IRExpr** arguments,
                         const VexGuestLayout* layout);

/* The running context's counters.  */
IRExpr* ir_load_counters(IRSB* out, IRExpr* shared_base);

#endif
