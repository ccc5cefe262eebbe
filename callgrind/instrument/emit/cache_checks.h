/* SPDX-License-Identifier: GPL-2.0-or-later

   Generated code that checks references inline and calls the simulators where it must
   (machine/simulation_helpers.h).  reference_plan.h tells how references are grouped.  */

#ifndef CALLGRIND_CACHE_CHECKS_H
#define CALLGRIND_CACHE_CHECKS_H

#include "instrument/ir/ir_build.h"
#include "instrument/shape/reference_plan.h"

/* Adds the check of a group to `out`, with the call that it guards.  `block` holds the
   group's references.  `base` is the shared base (ir_build.h); NULL for cold code
   (cold_code.h), which always calls.  */
void cache_checks_emit_group(IrOutput* out, const ReferencePlan* plan,
                             const ReferenceGroup* group, const Block* block,
                             IRExpr* base);

#endif
