/* SPDX-License-Identifier: GPL-2.0-or-later

   What is added to a superblock where its stack pointer may be set to what is on another
   stack (stack_moves.h).  */

#ifndef CALLGRIND_STACK_CHECKS_H
#define CALLGRIND_STACK_CHECKS_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* Adds to `out` what is to be done before the statement at `at` of `in`, of which
   stack_moves_examine() was told: nothing, or a call that follows the move.  */
void stack_checks_emit(IRSB* out, const IRSB* in, Int at, const VexGuestLayout* layout);

#endif
