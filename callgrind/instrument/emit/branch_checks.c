/* SPDX-License-Identifier: GPL-2.0-or-later

   Branches and the predictor; see branch_checks.h.

   A conditional branch is predicted inline, without any branch of the host: whether the
   prediction is right is added to the counters as 0 or 1.  A guarded call for those that
   are mispredicted would be mispredicted by the host as often.  */

#include "instrument/emit/branch_checks.h"

#include "machine/simulation.h"
#include "machine/simulation_helpers.h"
#include "model/cost.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

#if VG_WORDSIZE == 8
#define TO_WORD(narrow) narrow##to64
#define TO_BYTE Iop_64to8
#else
#define TO_WORD(narrow) narrow##to32
#define TO_BYTE Iop_32to8
#endif

static IRExpr* emit_wider(IrOutput* out, IROp to_word, IRExpr* value)
{
   return ir_assign(out, IR_WORD, IRExpr_Unop(to_word, value));
}

IRExpr* branch_checks_emit_taken(IrOutput* out, IRStmt* exit, Bool is_turned)
{
   IRExpr* is_taken = exit->Ist.Exit.guard;
   if (is_turned)
      is_taken = ir_assign(out, Ity_I1, IRExpr_Unop(Iop_Not1, is_taken));
   IRExpr* taken = emit_wider(out, TO_WORD(Iop_1U), is_taken);
   /* VEX would keep the old guard besides.  */
   exit->Ist.Exit.guard = ir_compare(
      out, is_turned ? IR_WORD_OP(Iop_CmpEQ) : IR_WORD_OP(Iop_CmpNE), taken, ir_word(0));
   return taken;
}

static IRExpr* emit_doubled(IrOutput* out, IRExpr* index)
{
   return ir_compute(out, IR_WORD_OP(Iop_Shl), index, IRExpr_Const(IRConst_U8(1)));
}

/* The address of element `index` of what is at `array`, in elements of two bytes.  The
   host computes it as a part of the load or store that it is for, and so only there.  */
static IRExpr* emit_element(IrOutput* out, IRExpr* base, const void* array, IRExpr* index)
{
   return ir_near(
      out, ir_compute(out, IR_WORD_OP(Iop_Add), base, emit_doubled(out, index)), array);
}

/* 1 if the prediction was wrong, 0 if not.  Changes the predictor as
   branchsim_conditional() does.  */
static IRExpr* emit_prediction(IrOutput* out, UWord address, IRExpr* base, IRExpr* taken)
{
   BranchPredictor* predictor = simulation_predictor();
   const UChar* row = branchsim_row(predictor, address);
   IRExpr* history = ir_load(out, IR_WORD, ir_near(out, base, &predictor->history));
   IRExpr* counter = emit_wider(
      out, TO_WORD(Iop_8U), ir_load(out, Ity_I8, emit_element(out, base, row, history)));
   IRExpr* next = emit_wider(
      out, TO_WORD(Iop_16U),
      ir_load(out, Ity_I16,
              emit_element(out, base, branchsim_next,
                           ir_compute(out, IR_WORD_OP(Iop_Add), counter, taken))));
   ir_store(out, emit_element(out, base, row, history),
            ir_assign(out, Ity_I8, IRExpr_Unop(TO_BYTE, next)));
   IRExpr* outcomes =
      ir_compute(out, IR_WORD_OP(Iop_Or), emit_doubled(out, history), taken);
   ir_store(out, ir_near(out, base, &predictor->history),
            ir_compute(out, IR_WORD_OP(Iop_And), outcomes,
                       ir_word(((UWord)1 << BRANCHSIM_HISTORY_BITS) - 1)));
   return ir_compute(out, IR_WORD_OP(Iop_Shr), next,
                     IRExpr_Const(IRConst_U8(BRANCHSIM_WRONG_BIT)));
}

static void emit_inline(IrOutput* out, const Reference* branch, IRExpr* base,
                        IRExpr* taken)
{
   IRExpr* wrong = emit_prediction(out, simulation_predicted_by(branch), base, taken);
   if (VG_WORDSIZE == 4)
      wrong = ir_assign(out, Ity_I64, IRExpr_Unop(Iop_32Uto64, wrong));
   UInt event = reference_outcome_event(branch, OutcomeMispredicted);
   tl_assert(!cost_is_rare(event));
   ir_add_value_to(out, ir_load_counters(out, base),
                   ir_relocated_offset(out, branch->outcomes + OutcomeMispredicted),
                   wrong);
   ir_add_value_to(out, base, ir_from_shared_base(&cost_clock[event]), wrong);
}

void branch_checks_emit_conditional(IrOutput* out, const Block* block, UInt index,
                                    IRExpr* base, IRExpr* taken)
{
   const Reference* branch = &block->references[index];
   /* What is inlined counts its own mispredictions besides (--call-tree).  */
   if (base != NULL && simulation_has_one_predictor() && branch->inlined == 0) {
      emit_inline(out, branch, base, taken);
      return;
   }
   IRExpr** arguments = mkIRExprVec_2(ir_relocated_address(out, branch), taken);
   IRDirty* call = simulation_has_one_predictor()
                      ? ir_call("simulation_branch_conditional",
                                (void*)simulation_branch_conditional, arguments)
                      : ir_call("simulation_branch_conditional_cycles",
                                (void*)simulation_branch_conditional_cycles, arguments);
   ir_add_call(out, call);
}

void branch_checks_emit_indirect(IrOutput* out, const Block* block, UInt index,
                                 IRExpr* base, IRExpr* target)
{
   const Reference* branch = &block->references[index];
   IRExpr** arguments = mkIRExprVec_2(ir_relocated_address(out, branch), target);
   IRDirty* call;
   if (!simulation_has_one_predictor())
      call = ir_call("simulation_branch_indirect_cycles",
                     (void*)simulation_branch_indirect_cycles, arguments);
   else {
      call = ir_call("simulation_branch_indirect", (void*)simulation_branch_indirect,
                     arguments);
      const UWord* last =
         branchsim_target(simulation_predictor(), simulation_predicted_by(branch));
      if (base != NULL)
         call->guard = ir_compare(out, IR_WORD_OP(Iop_CmpNE), target,
                                  ir_load(out, IR_WORD, ir_near(out, base, last)));
   }
   ir_add_call(out, call);
}
