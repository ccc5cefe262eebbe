/* SPDX-License-Identifier: GPL-2.0-or-later

   What generated code calls at calls, returns and jumps, so that the running thread's
   shadow stack follows the guest.

   Generated code does three things for it.
   - At its start a superblock compares shadowstack_now.at.current with its own function,
     and calls `enter` if they differ.
   - A call stores its call site in shadowstack_now.at.current, so that the callee's first
     superblock finds a difference.  A jump that may leave its function stores its site in
     shadowstack_now.at.last_exit.  All skipped code runs as one function
     (symbols_runs_as()), and its calls set shadowstack_now.at.last_exit only: they cost
     nothing until one reaches a function that is shown.
   - A return calls `leave`.
   Where the tool has dispatchers (instrument/host/dispatch.h), these call `leave` for
   returns, and `call_on` for calls by address and for stubs.

   Everything else (longjmp, exceptions, tail calls) shows as a superblock that finds
   itself in another function than the one that ran.

   A helper handles plain calls and returns on the fast path (fast_enter.h,
   fast_return.h), all others on the slow path (transition.h).  */

#ifndef CALLGRIND_CALLSTACK_H
#define CALLGRIND_CALLSTACK_H

#include "stack/frames/shadowstack_types.h"

/* Control has come to a superblock whose function is not known to be the one that
   ran.  Which superblock it is, the guest's instruction pointer says: an argument
   would be set up in every superblock, for a call that almost none makes.  */
typedef void CallstackEnter(void);

/* Between two superblocks: a call goes on to the guest's instruction pointer.  If its
   site took the same arc last, and that has a host target, enters the function there; the
   result is the host target.  Otherwise does nothing; the result is NULL, and the next
   superblock will call `enter`.  (Without a host target, other code may stand there
   now.)  */
typedef const void* CallstackCallOn(void);

/* As `enter`, for the only superblock of a stub, at `ip`, which leads on by an
   indirect jump.  `cost` is what it is known to cost: a byte for each frequent event.  */
typedef void CallstackPassStub(Addr ip, ULong cost);
#define CALLSTACK_STUB_EVENTS sizeof(ULong) /* no more than this may be frequent */
#define CALLSTACK_STUB_COST 0xff            /* the largest cost of one of them */

/* As `enter`, for a superblock that block_at() does not find, which passes its
   record.  */
void callstack_enter_block(Block* block);

/* In the middle of a superblock, control runs on into another function, that of
   `block`.  */
void callstack_fall_into(Block* block);

/* A return instruction, `site`, goes to `target`; the stack pointer in `guest_state`, the
   running thread's, is already what it will be there.  (Where generated code cannot pass
   that, it passes 0: see ARCH_STATE_IS_PASSED.)  The result is the host target of the
   call site that control returns to, if that was a plain call, perhaps with tail calls
   behind; otherwise NULL.  */
typedef const void* CallstackReturn(Addr target, const UChar* guest_state,
                                    CallSite* site);

/* Right after that: the site whose host target it was.  */
CallSite* callstack_site_returned_to(void);

/* The arc by which the call under way goes on to `ip`, if its site took it last;
   otherwise NULL.  */
Arc* callstack_arc_known(Addr ip);

/* The helpers for the set of events that is counted.  After cost_init().  */
typedef struct {
   CallstackEnter* enter;
   CallstackCallOn* call_on;
   CallstackPassStub* pass_stub;
   CallstackReturn* leave;
} CallstackHelpers;
CallstackHelpers callstack_helpers(void);

/* The function that goes on if control gets to new code without a call; NULL if that is
   not known, or if a call is under way.  */
Function* callstack_continuing_function(void);

#endif
