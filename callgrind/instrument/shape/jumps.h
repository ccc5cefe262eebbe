/* SPDX-License-Identifier: GPL-2.0-or-later

   Which exits of a superblock are jumps in the sense of --collect-jumps=yes: those that
   stay in their function and do not lead to the next instruction.  A jump that leaves its
   function is a call, or a return to an activation below.  Jumps in stubs and in skipped
   functions do not count.

   VEX may translate a conditional jump either way: as an exit to the target, or as an
   exit to the next instruction, with the target at the superblock's end.  */

#ifndef CALLGRIND_JUMPS_H
#define CALLGRIND_JUMPS_H

#include "model/block_record.h"

#include "pub_tool_tooliface.h"

/* Adds the jumps among the statements [first, end) of `in` to `shape`, which must have
   its function and instructions already.  With --collect-jumps=no there are none.  */
void jumps_find(const IRSB* in, UInt first, UInt end, BlockShape* shape);

/* Does jumps_find() add this exit?  It belongs to an instruction of `function` that ends
   at `behind`.  */
Bool jumps_is_counted(const Function* function, const IRStmt* exit, Addr behind);

/* Does the superblock, which is code of `function`, end with an indirect jump that
   counts?  Its target is known only when it is executed.  */
Bool jumps_is_indirect(const Function* function, const IRSB* superblock);

#endif
