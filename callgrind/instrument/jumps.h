/* SPDX-License-Identifier: GPL-2.0-or-later

   Which exits of a superblock are jumps in the sense of --collect-jumps=yes: those that
   stay in their function, other than by running on.  A jump that leaves it is a call
   (or goes back to a function that is under way), a stub's and a folded function's
   are not shown.

   VEX may write a conditional jump either way: an exit to the target, or an exit to the
   instruction behind and the target at the superblock's end.  */

#ifndef CALLGRIND_JUMPS_H
#define CALLGRIND_JUMPS_H

#include "model/block_record.h"

#include "pub_tool_tooliface.h"

/* Adds the jumps among the statements [first, end) of `in` to `shape`, which has the
   instructions already.  Nothing with --collect-jumps=no.  */
void jumps_find(const IRSB* in, UInt first, UInt end, BlockShape* shape);

/* Is the exit, of an instruction in `function` that ends at `behind`, one that
   jumps_find() adds?  */
Bool jumps_is_counted(const Function* function, const IRStmt* exit, Addr behind);

/* Does the superblock end with a jump whose target only shows when it runs?  */
Bool jumps_is_indirect(const Function* function, const IRSB* superblock);

#endif
