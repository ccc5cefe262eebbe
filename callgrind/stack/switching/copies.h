/* SPDX-License-Identifier: GPL-2.0-or-later

   Stacks that share one place: a program may copy the frames of a coroutine away, move
   its stack pointer, and copy those of another to where they were. Python's greenlet
   does so. Nothing tells where it copies to, but then the program's memory holds the
   return addresses of other frames than the running shadow stack has.

   A new coroutine begins below the frames of the one that it was made by, and both go
   on: what looks like an unwinding of the new one's frames is the old one going on,
   and the new one's frames will be back. So the shadow stack is divided there: the
   frames below are copied, and each of the two goes on with its own. The function that
   the old one goes on in may have returned in the new one; then its frame is entered a
   second time, which is no call.

   Nothing is compared unless the stack pointer has been moved (coroutine.h), or a return
   has gone to where no frame does.  */

#ifndef CALLGRIND_COPIES_H
#define CALLGRIND_COPIES_H

#include "stack/frames/shadowstack_types.h"

/* Code that adds a variable to its stack pointer may have copied frames. It is of
   interest if it goes up by more than so many bytes, its arguments perhaps, and by no
   more than `copies_farthest` beyond: where a program is known to copy stacks, that is
   any amount, down as well.  */
#define COPIES_ARGUMENTS_AT_MOST 128
extern UWord copies_farthest;

/* May the program copy stacks?  With --copied-stacks=yes; with `auto`, once there is code
   of an object that is known to do so.  Code translated earlier is not asked again: the
   code that copies comes later.  */
Bool copies_are_possible(void);

/* Does the program copy stacks, as far as is known?  */
Bool copies_are_known(void);
void copies_become_known(void);

/* A variable has been added to the stack pointer, which goes down from `old_sp`: to have
   room for an array perhaps.  */
void copies_note_down(Addr new_sp, Addr old_sp);
void copies_forget_noted(void);

/* Where the running function, which leaves the stack pointer at `sp`, may have moved it
   to among stacks that are copied: crossing_moved(), or what copies_note_down() was told.
   0: it has not moved it, or none are copied.  */
Addr copies_moved(Addr sp);

/* A return to `target` has left the stack pointer at `sp`.  If by the program's memory
   another stack goes on there than the running one, makes that the running one.  */
Bool copies_return(Addr target, Addr sp);

/* As copies_return(), where control has come to `block` by a jump, or by a return that
   left no frame, after the stack pointer was moved to `moved` (crossing_moved(); 0: it
   was not).  */
Bool copies_arrive(const Block* block, Addr sp, Addr moved);

/* Nothing that is known fits where control is: is it on another stack even so?  With the
   arguments of copies_arrive().  */
Bool copies_are_elsewhere(const Block* block, Addr sp, Addr moved);

/* Does the program's memory hold another frame in place of the one that `sp` has not
   left?  */
Bool copies_are_overwritten(Addr sp);

/* As copies_are_overwritten(), or has the outermost frame that `sp` has left been
   overwritten?  */
Bool copies_have_overwritten(Addr sp);

#endif
