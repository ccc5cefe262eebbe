/* SPDX-License-Identifier: GPL-2.0-or-later

   Coroutines: a thread's stack pointer moves to another native stack, and with it the
   thread goes on on another shadow stack.

   Whoever switches stacks sets the stack pointer to a value that is not computed from the
   one it has: generated code tells of it (coroutine_sp_loaded()).  longjmp, exceptions and
   restored variable-length arrays do the same on the same stack.  Which it is shows where
   control leaves the function that did it: until then it runs on where it is.

   - To the byte where a parked stack was left by the same function: it goes on there.
   - A return to a frame of the running stack: nothing has happened.
   - A return to a frame of a parked stack: the thread goes on there.
   - A call: the function goes on with its stack elsewhere, and what it calls there is its
     callee.  A bridge (shadowstack.h) is put on the stack.
   - A jump, or a return to an address that no frame waits for, into a function that the
     stack pointer shows to be one of the running stack's: an unwinding.
   - Otherwise the thread is on another stack: on a parked one, or on a new one, whose first
     function has no caller.  If control comes to the middle of a function that is not known
     there, the shadow stack is rebuilt from the native one.  */

#ifndef CALLGRIND_COROUTINE_H
#define CALLGRIND_COROUTINE_H

#include "stack/shadowstack.h"

/* The running function sets its stack pointer, `old_sp`, to `new_sp`.  */
void coroutine_sp_loaded(Addr new_sp, Addr old_sp);

typedef enum {
   CoroutineHere,  /* go on with what the running stack, another perhaps, shows */
   CoroutineRoot,  /* control is at the start of a new, empty stack */
   CoroutineSeeded /* the running stack is as the native one; all is done */
} CoroutineArrival;

/* After a move of the stack pointer control has come to `block`, by a call or not, with
   the stack pointer at `sp`.  shadowstack_now.at.moved is settled.  */
CoroutineArrival coroutine_arrive(const Block* block, Bool by_call, Addr sp);

/* A return to `target`, with the stack pointer then at `sp`, is not that of a frame of
   the running stack.  If it is that of a frame of a parked one, the thread crosses to
   that, and the answer is True.  */
Bool coroutine_return(Addr target, Addr sp);

#endif
