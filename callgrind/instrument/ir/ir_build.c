/* SPDX-License-Identifier: GPL-2.0-or-later

   Building IR; see ir_build.h.

   Owns the word in memory from which generated code loads the shared base.  */

#include "instrument/ir/ir_build.h"

#include "guest/arch.h"
#include "stack/frames/shadowstack_types.h"

#include "pub_tool_machine.h"

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

IRExpr* ir_word(UWord value)
{
#if VG_WORDSIZE == 8
   return IRExpr_Const(IRConst_U64(value));
#else
   return IRExpr_Const(IRConst_U32(value));
#endif
}

Addr ir_constant_address(const IRConst* constant)
{
   return constant->tag == Ico_U64 ? (Addr)constant->Ico.U64 : (Addr)constant->Ico.U32;
}

IRExpr* ir_address(const void* address) { return ir_word((UWord)address); }

IRExpr* ir_relocated_word(IrOutput* out, UWord value)
{
   return ir_word(code_relocations_stand_in(&out->relocations, value));
}

IRExpr* ir_relocated_address(IrOutput* out, const void* record)
{
   return ir_relocated_word(out, (UWord)record);
}

IRExpr* ir_relocated_checked(IrOutput* out, UWord argument)
{
   UWord value = code_relocations_stand_in(&out->relocations, argument);
   ULong point = patch_points_check(&out->patch_points, value);
   return ir_word(point == 0 ? value : (UWord)point);
}

UWord ir_relocated_offset(IrOutput* out, UInt counter)
{
   return code_relocations_stand_in(&out->relocations, (UWord)counter * sizeof(ULong));
}

IRExpr* ir_assign(IrOutput* out, IRType type, IRExpr* value)
{
   IRTemp temporary = newIRTemp(out->code->tyenv, type);
   IRStmt* statement = IRStmt_WrTmp(temporary, value);
   ir_digest_statement(&out->digest, statement);
   addStmtToIRSB(out->code, statement);
   return IRExpr_RdTmp(temporary);
}

static IRExpr* binop(IrOutput* out, IRType type, IROp operation, IRExpr* a, IRExpr* b)
{
   IRTemp temporary = newIRTemp(out->code->tyenv, type);
   ir_digest_binop(&out->digest, temporary, operation, a, b);
   addStmtToIRSB(out->code, IRStmt_WrTmp(temporary, IRExpr_Binop(operation, a, b)));
   return IRExpr_RdTmp(temporary);
}

IRExpr* ir_compute(IrOutput* out, IROp operation, IRExpr* a, IRExpr* b)
{
   return binop(out, IR_WORD, operation, a, b);
}

IRExpr* ir_compare(IrOutput* out, IROp operation, IRExpr* a, IRExpr* b)
{
   return binop(out, Ity_I1, operation, a, b);
}

void ir_add_call(IrOutput* out, IRDirty* call)
{
   IRStmt* statement = IRStmt_Dirty(call);
   ir_digest_statement(&out->digest, statement);
   addStmtToIRSB(out->code, statement);
}

void ir_add_exit(IrOutput* out, IRExpr* guard, IRJumpKind kind, UWord target)
{
   IRStmt* statement =
      IRStmt_Exit(guard, kind, ir_word(target)->Iex.Const.con, out->code->offsIP);
   ir_digest_statement(&out->digest, statement);
   addStmtToIRSB(out->code, statement);
}

IRExpr* ir_load(IrOutput* out, IRType type, IRExpr* address)
{
   IRTemp temporary = newIRTemp(out->code->tyenv, type);
   ir_digest_load(&out->digest, temporary, type, address);
   addStmtToIRSB(out->code,
                 IRStmt_WrTmp(temporary, IRExpr_Load(HOST_END, type, address)));
   return IRExpr_RdTmp(temporary);
}

IRExpr* ir_load_guarded(IrOutput* out, const void* object, const void* fetched)
{
   ULong point = patch_points_guard(&out->patch_points, object, fetched);
   if (point == 0)
      return NULL;
   ir_digest_meaning(&out->digest, (ULong)(UWord)object);
   ir_digest_meaning(&out->digest, (ULong)(UWord)fetched);
   return ir_load(out, IR_WORD, ir_word((UWord)point));
}

void ir_store(IrOutput* out, IRExpr* address, IRExpr* value)
{
   ir_digest_store(&out->digest, address, value);
   addStmtToIRSB(out->code, IRStmt_Store(HOST_END, address, value));
}

IRExpr* ir_plus(IrOutput* out, IRExpr* base, UWord offset)
{
   if (offset == 0)
      return base;
   return ir_compute(out, IR_WORD_OP(Iop_Add), base, ir_word(offset));
}

/* The address is computed twice.  VEX folds each computation into its load or store; one
   computation for both would take a register.  */
void ir_add_value_to(IrOutput* out, IRExpr* base, UWord offset, IRExpr* amount)
{
   IRExpr* before = ir_load(out, Ity_I64, ir_plus(out, base, offset));
   IRExpr* after = binop(out, Ity_I64, Iop_Add64, before, amount);
   ir_store(out, ir_plus(out, base, offset), after);
}

void ir_add_to(IrOutput* out, IRExpr* base, UWord offset, ULong amount)
{
   ULong point = patch_points_addition(&out->patch_points, offset, amount);
   if (point != 0) {
      ir_digest_meaning(&out->digest, amount);
      ir_store(out, ir_plus(out, base, offset), IRExpr_Const(IRConst_U64(point)));
   } else
      ir_add_value_to(out, base, offset, IRExpr_Const(IRConst_U64(amount)));
}

/* The clock is used most: from here it needs no addition.  */
static UChar* const shared_base = (UChar*)cost_clock;

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* VEX puts the constant into a register, and there it stays: passing constants on, which
   would copy it into each use, is left out (translate.c).  */
IRExpr* ir_load_shared_base(IrOutput* out)
{
   return ir_assign(out, IR_WORD, ir_address(shared_base));
}

#else

/* Generated code loads this address from memory, because VEX would copy a constant into
   each use, ten bytes each.  (To keep it in a shadow register of the guest's is no
   faster.)  */
IRExpr* ir_load_shared_base(IrOutput* out)
{
   return ir_load(out, IR_WORD, ir_address(&shared_base));
}

#endif

UWord ir_from_shared_base(const void* address)
{
   return (UWord)((const UChar*)address - shared_base);
}

UWord ir_relocated_from_shared_base(IrOutput* out, const void* record)
{
   return code_relocations_stand_in_distance(&out->relocations,
                                             (Word)ir_from_shared_base(record));
}

IRExpr* ir_near(IrOutput* out, IRExpr* base, const void* address)
{
   return ir_plus(out, base, ir_from_shared_base(address));
}

IRExpr* ir_guest_state(void)
{
   return ARCH_STATE_IS_PASSED ? IRExpr_GSPTR() : ir_word(0);
}

IRDirty* ir_call(const HChar* name, void* function, IRExpr** arguments)
{
   return unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
}

IRDirty* ir_call_with_sp(const HChar* name, void* function, IRExpr** arguments,
                         const VexGuestLayout* layout)
{
   IRDirty* call = ir_call(name, function, arguments);
   call->nFxState = 1;
   call->fxState[0].fx = Ifx_Read;
   call->fxState[0].offset = (UShort)layout->offset_SP;
   call->fxState[0].size = (UShort)layout->sizeof_SP;
   call->fxState[0].nRepeats = 0;
   call->fxState[0].repeatLen = 0;
   return call;
}

IRExpr* ir_load_counters(IrOutput* out, IRExpr* base)
{
   return ir_load(out, IR_WORD,
                  ir_plus(out, base, ir_from_shared_base(&shadowstack_now.counters)));
}

void ir_add_pair_to(IrOutput* out, IRExpr* base, UWord offset, UWord amounts)
{
   IRExpr* before = ir_load(out, Ity_V128, ir_plus(out, base, offset));
   IRExpr* amount = ir_load(out, Ity_V128, ir_plus(out, base, amounts));
   IRExpr* after = binop(out, Ity_V128, Iop_Add64x2, before, amount);
   ir_store(out, ir_plus(out, base, offset), after);
}
