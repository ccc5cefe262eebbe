/* SPDX-License-Identifier: GPL-2.0-or-later

   Finds the references that the statements of a superblock make, and plans how generated
   code checks them (reference_plan.h).

   With nothing simulated there are none.  */

#ifndef CALLGRIND_REFERENCES_H
#define CALLGRIND_REFERENCES_H

#include "instrument/shape/address_bases.h"
#include "instrument/shape/reference_plan.h"
#include "model/block_record.h"

/* Another superblock is instrumented from now on, for a thread to run it
   (address_bases.h).  All plans in `room` are void.  */
void references_begin(PlanRoom* room, AddressBases* bases, const IRSB* in,
                      ThreadId thread);

/* The plan of the segment that consists of the statements [first, end) of that
   superblock.  Segments must be passed in order, each once.  Everything before a segment
   has been simulated when it begins.

   `shift` is what the simulated machine takes addresses of its code to be higher by
   (layout/code_layout.h).

   `earlier` is the record of an earlier translation that may be of the same code, or
   NULL.  What cold code has counted there (Reference.mru_misses) decides on groups, and
   is copied into the plan.  */
ReferencePlan references_find(PlanRoom* room, AddressBases* bases, const IRSB* in,
                              UInt first, UInt end, const Block* earlier, Addr shift);

/* Is this exit one of the guest's own branches, which is predicted?  */
Bool references_is_branch(const IRStmt* exit);

/* Does the superblock end with an indirect branch, which is predicted?  */
Bool references_is_indirect(const IRSB* in);

#endif
