/* SPDX-License-Identifier: GPL-2.0-or-later

   What is added to a superblock where its stack pointer may be set to what is on another
   stack (stack_moves.h).  */

#ifndef CALLGRIND_STACK_CHECKS_H
#define CALLGRIND_STACK_CHECKS_H

#include "instrument/superblock_state.h"

/* Adds what is to be done before the statement at `at` of the superblock, whose
   stack_moves are known: nothing, or a call that follows the move.  */
void stack_checks_emit(SuperblockState* superblock, Int at);

#endif
