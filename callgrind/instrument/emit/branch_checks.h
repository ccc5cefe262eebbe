/* SPDX-License-Identifier: GPL-2.0-or-later

   Generated code that has branches predicted (machine/simulation_helpers.h).  */

#ifndef CALLGRIND_BRANCH_CHECKS_H
#define CALLGRIND_BRANCH_CHECKS_H

#include "instrument/ir/ir_build.h"
#include "model/block.h"

/* Adds the outcome of a conditional branch, as a word, and gives the exit that is its
   branch a guard that depends on it.  VEX may have inverted the branch (`is_turned`):
   then the guest's own branch is taken if the exit is not.  */
IRExpr* branch_checks_emit_taken(IrOutput* out, IRStmt* exit, Bool is_turned);

/* Adds the prediction of a conditional branch with this outcome, before its exit.  It is
   reference number `index` of `block`.  `base` is the shared base (ir_build.h); NULL for
   cold code, which is to be short: it calls.  */
void branch_checks_emit_conditional(IrOutput* out, const Block* block, UInt index,
                                    IRExpr* base, IRExpr* taken);

/* Adds the call for an indirect branch to `target`, at the end of the superblock.  It is
   called if the branch goes elsewhere than the last time; by cold code always.  */
void branch_checks_emit_indirect(IrOutput* out, const Block* block, UInt index,
                                 IRExpr* base, IRExpr* target);

#endif
