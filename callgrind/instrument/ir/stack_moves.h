/* SPDX-License-Identifier: GPL-2.0-or-later

   Which statements of a superblock may move the guest's stack pointer to another native
   stack.  An ordinary function computes its new stack pointer from the old one; a switch
   of stacks loads it from somewhere else.  */

#ifndef CALLGRIND_STACK_MOVES_H
#define CALLGRIND_STACK_MOVES_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

typedef enum {
   MoveNone,      /* does not set the stack pointer, or computes it from itself */
   MoveFromFrame, /* computes it from the frame pointer: nearly always a function's end */
   MoveByDistance, /* adds a variable to it: for an array, or to copies of frames */
   MoveLoad        /* sets it from anything else */
} StackMove;

/* What is known of one superblock.  The table grows as needed and is used again for the
   next one.  */
typedef struct {
   UChar* origins; /* by temporary: what it is computed from */
   UInt n_origins;
   Int offset_sp, offset_fp;
} StackMoves;

/* Examines a superblock.  It must not change until the last call of
   stack_moves_kind().  */
void stack_moves_examine(StackMoves* moves, const IRSB* superblock,
                         const VexGuestLayout* layout);

/* What this statement of that superblock does to the stack pointer.  */
StackMove stack_moves_kind(const StackMoves* moves, const IRStmt* statement);

/* What the statement at `at`, which sets the stack pointer, sets it to: an atom.  If it
   is part of a push, what it was set to before.  */
const IRExpr* stack_moves_value(const IRSB* superblock, Int at);

/* How many bytes below the frame pointer the MoveFromFrame at `at` leads; 0 if it leads
   to there, or above, or by a way that is no plain sum.  */
ULong stack_moves_below_frame(const IRSB* superblock, Int at);

/* Additions, subtractions and alignments of words: is this one?  What they compute from a
   stack pointer, or from an address, is still one.  */
Bool stack_moves_follows(IROp operation);

#endif
