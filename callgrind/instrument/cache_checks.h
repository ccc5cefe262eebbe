/* SPDX-License-Identifier: GPL-2.0-or-later

   The part of generated code that asks the simulators; see reference_plan.h for when.  */

#ifndef CALLGRIND_CACHE_CHECKS_H
#define CALLGRIND_CACHE_CHECKS_H

#include "instrument/reference_plan.h"

/* Asks about the group, if that is needed; always if `base`, the shared one, is NULL, for
   cold code (cold_code.h).  `block` counts for it.  */
void cache_checks_emit_group(IRSB* out, const ReferencePlan* plan,
                             const ReferenceGroup* group, const Block* block,
                             IRExpr* base);

/* Before a conditional exit, which is reference number `index` of `block`.  `guard` says
   whether the exit is taken; the guest's own branch is followed if it is not, where VEX
   has turned it round (`is_turned`).  */
void cache_checks_emit_conditional(IRSB* out, const Block* block, UInt index,
                                   IRExpr* guard, Bool is_turned);

/* Before the superblock goes on to `target`: reference number `index`.  */
void cache_checks_emit_indirect(IRSB* out, const Block* block, UInt index,
                                IRExpr* target);

#endif
