/* SPDX-License-Identifier: GPL-2.0-or-later

   Calls of the branch predictor; see branch_checks.h.

   A conditional branch is not predicted inline.  That takes as long as the call, in code
   that is longer, and what limits large programs is how much code there is.  */

#include "instrument/branch_checks.h"

#include "machine/simulation.h"
#include "machine/simulation_helpers.h"

#include "pub_tool_machine.h"

void branch_checks_emit_conditional(IRSB* out, const Block* block, UInt index,
                                    IRExpr* guard, Bool is_turned)
{
   if (is_turned)
      guard = ir_assign(out, Ity_I1, IRExpr_Unop(Iop_Not1, guard));
   const Reference* branch = &block->references[index];
   IRExpr* taken = ir_assign(
      out, IR_WORD, IRExpr_Unop(VG_WORDSIZE == 8 ? Iop_1Uto64 : Iop_1Uto32, guard));
   IRExpr** arguments =
      mkIRExprVec_3(ir_run_address(branch),
                    ir_word(branchsim_row(simulation_predicted_by(branch))), taken);
   IRDirty* call = simulation_has_one_predictor()
                      ? ir_call("simulation_branch_conditional",
                                (void*)simulation_branch_conditional, arguments)
                      : ir_call("simulation_branch_conditional_cycles",
                                (void*)simulation_branch_conditional_cycles, arguments);
   addStmtToIRSB(out, IRStmt_Dirty(call));
}

void branch_checks_emit_indirect(IRSB* out, const Block* block, UInt index, IRExpr* base,
                                 IRExpr* target)
{
   const Reference* branch = &block->references[index];
   IRExpr** arguments = mkIRExprVec_2(ir_run_address(branch), target);
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
   addStmtToIRSB(out, IRStmt_Dirty(call));
}
