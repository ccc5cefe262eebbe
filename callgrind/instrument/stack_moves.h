/* SPDX-License-Identifier: GPL-2.0-or-later

   Which statements of a superblock may move the guest's stack pointer to another stack.
   An ordinary function computes its stack pointer from the one it has; a switch of stacks
   loads it from somewhere.  */

#ifndef CALLGRIND_STACK_MOVES_H
#define CALLGRIND_STACK_MOVES_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

typedef enum {
   MoveNone,      /* does not set the stack pointer, or computes it from itself */
   MoveFromFrame, /* computes it from the frame pointer: a function that ends, nearly
                     always */
   MoveLoad       /* from elsewhere */
} StackMove;

/* Takes a superblock in, which must stay as it is until the last question.  */
void stack_moves_examine(const IRSB* superblock, const VexGuestLayout* layout);

/* Of a statement of that superblock.  */
StackMove stack_moves_kind(const IRStmt* statement);

#endif
