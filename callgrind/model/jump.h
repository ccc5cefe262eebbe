/* SPDX-License-Identifier: GPL-2.0-or-later

   Counts of jumps (--collect-jumps=yes): how often each context jumped from one of its
   instructions to another place in its function, and how often it might have.

   Most of these counts are counters of blocks (block_record.h).  Here are those that
   have no counter: of indirect jumps, each target by itself, and of code that is
   gone.  */

#ifndef CALLGRIND_JUMP_H
#define CALLGRIND_JUMP_H

#include "model/callsite.h"
#include "model/context.h"

typedef struct {
   Addr file_address; /* of the instruction that jumps */
   SourceLine line;
   JumpTarget target;
   Bool is_conditional;
   ULong executed, followed; /* equal if it is not conditional */
} JumpCount;

void jump_init(void);

/* The jump target at a guest address.  */
JumpTarget jump_target_at(Addr address);

/* `context` jumps from `site` to the guest address `target`.  */
void jump_count_indirect(Context* context, const CallSite* site, Addr target);

/* Keeps the counts of the jumps of `block`, and leaves its counters of jumps zero.
   Before context_retire_block().  */
void jump_retire_block(const Block* block);

/* The jumps that contexts of one function have followed together, sorted by address
   and target, one entry for each pair of these; *n is their number.  There must be at
   least one context.  Valid until the next call.  */
const JumpCount* jump_counts_of(Context* const* contexts, UInt n_contexts, UInt* n);

/* Sets the counts kept here of a thread's contexts (0: of all) to zero.  */
void jump_zero(UInt thread);

/* No jump was followed more often than it was executed.  Says what is wrong in the
   log.  */
Bool jump_all_valid(void);

#endif
