/* SPDX-License-Identifier: GPL-2.0-or-later

   Small pieces of IR, from which generated code is put together.  All that is added to a
   superblock is added here, and digested (ir_digest.h).

   `out` is always the output: the superblock to which statements are added, and what is
   known of them.  IR is flat: each
   expression that a function takes or returns is a constant or a temporary.  A word is as
   wide as an address, of the guest and of the host alike.  VEX owns all IR and frees it
   when the superblock has been translated.  */

#ifndef CALLGRIND_IR_BUILD_H
#define CALLGRIND_IR_BUILD_H

#include "core_version.h"
#include "instrument/host/code_relocations.h"
#include "instrument/host/patch_points.h"
#include "instrument/ir/ir_digest.h"
#include "pub_tool_tooliface.h"

/* A superblock that is being written.  `code` is VEX's; the rest is what must be known of
   it when VEX has made the host's code.  */
typedef struct {
   IRSB* code;
   IrDigest digest;
   PatchPoints patch_points;
   CodeRelocations relocations;
} IrOutput;

#define IR_WORD (VG_WORDSIZE == 8 ? Ity_I64 : Ity_I32)

/* The operation on words, by its name without the width: IR_WORD_OP(Iop_Add).  */
#define IR_WORD_OP(name) (VG_WORDSIZE == 8 ? name##64 : name##32)

/* A constant word.  */
IRExpr* ir_word(UWord value);

/* The address that a constant in the guest's code means.  */
Addr ir_constant_address(const IRConst* constant);

/* The address of an object of the tool's, as a constant.  */
IRExpr* ir_address(const void* address);

/* Constants for which the next run of the program may have other values
   (code_relocations.h): an id or a slot; the address of a record; where a counter is,
   in bytes behind the first one.  */
IRExpr* ir_relocated_word(IrOutput* out, UWord value);
IRExpr* ir_relocated_address(IrOutput* out, const void* record);
UWord ir_relocated_offset(IrOutput* out, UInt counter);

/* As ir_relocated_word(), for the first argument of a guarded call, which the host makes
   shorter than VEX (patch_points.h).  */
IRExpr* ir_relocated_checked(IrOutput* out, UWord argument);

/* Assigns `value` to a new temporary of this type.  */
IRExpr* ir_assign(IrOutput* out, IRType type, IRExpr* value);

/* As ir_assign(), for the result of `operation` on two words: ir_compute() if it is a
   word, ir_compare() if it is a truth value.  */
IRExpr* ir_compute(IrOutput* out, IROp operation, IRExpr* a, IRExpr* b);
IRExpr* ir_compare(IrOutput* out, IROp operation, IRExpr* a, IRExpr* b);

/* Adds a call that ir_call() has made, and an exit.  */
void ir_add_call(IrOutput* out, IRDirty* call);
void ir_add_exit(IrOutput* out, IRExpr* guard, IRJumpKind kind, UWord target);

/* Reads and writes memory at `address`, in the host's byte order.  */
IRExpr* ir_load(IrOutput* out, IRType type, IRExpr* address);
void ir_store(IrOutput* out, IRExpr* address, IRExpr* value);

/* The word at `object`, for a guard that the host makes shorter than VEX;
   patch_points.h says how it is to be used, and what `fetched` is.  NULL: load it in
   another way.  */
IRExpr* ir_load_guarded(IrOutput* out, const void* object, const void* fetched);

/* `base` + `offset`.  */
IRExpr* ir_plus(IrOutput* out, IRExpr* base, UWord offset);

/* *(base + offset) += amount, 64 bits wide.  */
void ir_add_value_to(IrOutput* out, IRExpr* base, UWord offset, IRExpr* amount);
void ir_add_to(IrOutput* out, IRExpr* base, UWord offset, ULong amount);

/* As ir_add_to(), for two adjacent numbers at `base` + `offset`.  The two numbers to add
   are in memory at `base` + `amounts`.  */
void ir_add_pair_to(IrOutput* out, IRExpr* base, UWord offset, UWord amounts);

/* The shared base: one address from which generated code reaches the clock, the running
   thread's state and other static data of the tool's, at constant distances.  It is put
   into a register once for several uses.  ir_from_shared_base() gives the distance of an
   object, ir_relocated_from_shared_base() that of a record.  */
IRExpr* ir_load_shared_base(IrOutput* out);
UWord ir_from_shared_base(const void* address);

UWord ir_relocated_from_shared_base(IrOutput* out, const void* record);

/* The address of an object, computed from the shared base.  */
IRExpr* ir_near(IrOutput* out, IRExpr* shared_base, const void* address);

/* The guest state's address, as an argument of a helper; see ARCH_STATE_HELPER.  */
IRExpr* ir_guest_state(void);

/* A call of a helper function, which the caller adds to a superblock.  `name` is for
   VEX's listings.  */
IRDirty* ir_call(const HChar* name, void* function, IRExpr** arguments);

/* As ir_call(), for a helper that reads the guest's stack pointer from the guest's
   state.  */
IRDirty* ir_call_with_sp(const HChar* name, void* function, IRExpr** arguments,
                         const VexGuestLayout* layout);

/* The address of the running context's counters.  */
IRExpr* ir_load_counters(IrOutput* out, IRExpr* shared_base);

#endif
