/* SPDX-License-Identifier: GPL-2.0-or-later

   Generated code that has branches predicted (machine/simulation_helpers.h).  */

#ifndef CALLGRIND_BRANCH_CHECKS_H
#define CALLGRIND_BRANCH_CHECKS_H

#include "instrument/ir_build.h"
#include "model/block.h"

/* Adds the call for a conditional branch, before its exit.  It is reference number
   `index` of `block`.  `guard` is the guard of the exit.  VEX may have inverted the
   branch (`is_turned`): then the guest's own branch is taken if the exit is not.  */
void branch_checks_emit_conditional(IRSB* out, const Block* block, UInt index,
                                    IRExpr* guard, Bool is_turned);

/* The same for an indirect branch to `target`, at the end of the superblock.  It is
   called if the branch goes elsewhere than the last time.  `base` is the shared base
   (ir_build.h); NULL for cold code, which always calls.  */
void branch_checks_emit_indirect(IRSB* out, const Block* block, UInt index, IRExpr* base,
                                 IRExpr* target);

#endif
