/* SPDX-License-Identifier: GPL-2.0-or-later

   Transitions: call, return, jump, unwinding.  Told by generated code where the
   guest goes, keeps the running thread's shadow stack.

   Generated code does three things for it.
   - At its start a superblock compares shadowstack_now.at.current with its own function
     and calls callstack_enter() if they differ.
   - A call sets shadowstack_now.at.current to its call site, so that the callee's first
     superblock asks.  A jump that may leave its function sets shadowstack_now.at.last_exit.
     All code that is not shown runs as one function (symbols_runs_as()), and its
     calls set shadowstack_now.at.last_exit only: nobody asks until it calls something that
     is shown.
   - A return calls callstack_return().
   Everything else (longjmp, exceptions, tail calls) shows as a superblock that
   finds itself in the wrong function.  */

#ifndef CALLGRIND_CALLSTACK_H
#define CALLGRIND_CALLSTACK_H

#include "stack/shadowstack.h"

/* Control has come to a superblock, and the function that ran is not known to be
   its.  Which superblock it is, the guest's instruction pointer tells: an argument
   would be set up in every superblock, and almost none makes the call.  Only one
   that block_at() does not know names itself.  */
typedef void CallstackEnter(void);
void callstack_enter_block(Block* block);

/* In the middle of a superblock, control runs on into another function, that of
   `block`.  */
void callstack_fall_into(Block* block);

/* A return instruction, `site`, goes to `target`; the stack pointer in
   `guest_state`, the running thread's, is already what it will be there.  */
typedef void CallstackReturn(Addr target, const UChar* guest_state, CallSite* site);

/* callstack_enter() and callstack_return(), made for the number of events there is.  */
typedef struct {
   CallstackEnter* enter;
   CallstackReturn* leave;
} CallstackHelpers;
CallstackHelpers callstack_helpers(void);

/* The function that runs on if control gets somewhere new without a call; NULL if
   that is not known or if a call is under way.  */
Function* callstack_continuing_function(void);

#endif
