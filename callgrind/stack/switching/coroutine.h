/* SPDX-License-Identifier: GPL-2.0-or-later

   Coroutines: a thread's stack pointer moves to another native stack, and with it the
   thread goes on on another shadow stack.

   Code that switches stacks sets the stack pointer to a value that is not computed from
   its present one.  Generated code then calls coroutine_sp_loaded().  longjmp, exceptions
   and variable-length arrays set it in the same way, but on the same stack.  Which of
   these it is becomes clear when control leaves the function that did it; until then that
   function goes on with the shadow stack as it is.

   - By the program's memory, to a stack whose frames have been copied there: that one
     goes on (copies.h).
   - To the byte where a parked stack was left by the same function: it goes on there.
   - A return to a frame of the running stack: nothing has happened.
   - A return to a frame of a parked stack: the thread goes on there.
   - A call: the function goes on with its stack elsewhere, and what it calls there is its
     callee.  A stack switch frame (FrameStackSwitch) is pushed.
   - A jump, or a return to an address that no frame waits for, into a function that by
     the stack pointer is one of the running stack's: an unwinding.
   - To memory that holds a copy of a known stack (moved_stack.h): that one goes on there.
   - Otherwise, a jump or a return after frames were pushed in place of others: those have
     been left, and control is in a synthesised frame (FrameSynthesised).  So it is when a
     synthesised frame has been left, but not all that were written with it.
   - Otherwise the thread is on another stack: on a parked one, or on a new one, whose
     first function has no caller.  If control comes to the middle of a function that
     has no frame there, the shadow stack is seeded from the native one.  */

#ifndef CALLGRIND_COROUTINE_H
#define CALLGRIND_COROUTINE_H

#include "stack/frames/shadowstack_types.h"

/* The running function sets its stack pointer, `old_sp`, to `new_sp`.  */
void coroutine_sp_loaded(Addr new_sp, Addr old_sp);

/* It adds a variable to its stack pointer, which may be the way to frames that are copied
   (copies.h).  */
void coroutine_sp_added(Addr new_sp, Addr old_sp);

typedef enum {
   CoroutineHere,    /* go on with the running stack, which may be another one now */
   CoroutineRoot,    /* control is at the start of a new, empty stack */
   CoroutineWritten, /* control is in a frame that was written above the topmost one */
   CoroutineSeeded   /* the running stack has been seeded; all is done */
} CoroutineArrival;

/* After a move of the stack pointer control has come to `block`, by a call or not, with
   the stack pointer at `sp`.  Decides what the move was; shadowstack_now.at.moved is 0
   afterwards.  */
CoroutineArrival coroutine_arrive(const Block* block, Bool by_call, Addr sp);

/* As coroutine_arrive(), without a move that was seen, where control has come to `block`
   by a jump, or by a return that left no frame.  */
CoroutineArrival coroutine_arrive_unseen(const Block* block, Addr sp);

/* A return to `target` leaves the stack pointer at `sp`; `is_known`: as one of a frame of
   the running stack does.  If it is that of a frame of a parked stack, or of any that has
   been moved there, the thread crosses to that stack; returns True.  A known one can be
   another stack's only if the stack pointer has been moved.  Then the program's memory
   tells: stacks that share one place may have the same return addresses.  */
Bool coroutine_return(Addr target, Addr sp, Bool is_known);

#endif
