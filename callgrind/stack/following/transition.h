/* SPDX-License-Identifier: GPL-2.0-or-later

   Slow path: what any call, jump, return, or unwound stack means for the running
   thread's shadow stack.  callstack.c, which generated code calls, comes here for all
   that the fast path (fast_enter.h, fast_return.h) does not know.  */

#ifndef CALLGRIND_TRANSITION_H
#define CALLGRIND_TRANSITION_H

#include "stack/frames/shadowstack_types.h"

/* Control has come to `block` with the stack pointer at `sp`: by a call from `call`, or
   by a jump from there through a stub that the fast path has passed; or, if that is NULL,
   in some other way.  */
void transition_enter(Block* block, CallSite* call, Addr sp);

/* The return instruction `site` goes to `target`, where the stack pointer is `sp`.  */
void transition_return(Addr target, Addr sp, CallSite* site);

#endif
