/* SPDX-License-Identifier: GPL-2.0-or-later

   Transitions from one function to another, in all their variety: what a call, a
   jump, a return, an unwound stack mean for the running thread's shadow stack.
   callstack.c, which generated code calls, comes here for all that is not
   plain.  */

#ifndef CALLGRIND_TRANSITION_H
#define CALLGRIND_TRANSITION_H

#include "stack/shadowstack.h"

/* Control has come to `block` with the stack pointer at `sp`; by a call from `call`,
   or, if that is NULL, in some other way.  */
void transition_enter(Block* block, CallSite* call, Addr sp);

/* The return instruction `site` goes to `target`, where the stack pointer is
   `sp`.  */
void transition_return(Addr target, Addr sp, CallSite* site);

/* The frame of `function` in the chain of tail calls that ends at `frame`; NULL if
   there is none.  Bare ones further down do not count: a visible function that was entered
   from there is the caller of what follows.  */
Frame* transition_find_in_tail_chain(Frame* frame, const Function* function);

#endif
