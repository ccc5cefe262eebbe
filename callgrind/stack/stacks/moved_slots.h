/* SPDX-License-Identifier: GPL-2.0-or-later

   Slots that move.  A function may take its return address off the stack and put it
   higher up, where its frame is to end, and then call and jump from above the slot that
   its call was seen to have: SBCL's functions pop theirs into the frame that their caller
   has made for them.  Such a frame has not been left.  Its slot is where the return
   address lies now; the program's memory tells.

   That is looked for where the slow path finds the stack pointer above the slot of the
   function that runs.  Until then the slot is too low, which the fast path takes for
   nothing: what is called lies lower still, and a return that fits no slot is not its
   own.  So a caller's slot may be as much out of date as that of the function that runs,
   and then both move, or neither.

   Relies on calls to push: on arm64 nothing moves.  Keeps nothing.  */

#ifndef CALLGRIND_MOVED_SLOTS_H
#define CALLGRIND_MOVED_SLOTS_H

#include "stack/frames/shadowstack_types.h"

/* The topmost frame's function goes on with the stack pointer at `sp`.  Moves the slots
   that lie below that up to where the return addresses lie now, and returns True; False,
   with all as it was, if that is not known of one of them.  Then its function has been
   left, or goes on without a return address.  */
Bool moved_slots_follow(Addr sp);

/* The slot of the frames from `frame`, which is topmost or above others whose slots have
   moved, down to `below`, which is left as it is, is `slot` now.  Where `below` is a
   stack switch frame, its region goes on up to there, at least.  */
void moved_slots_set(Frame* frame, Frame* below, Addr slot);

/* The topmost frame's function returns to `target`, which leaves the stack pointer at
   `sp`.  The outermost frame of its activation, if that may be its own return from a slot
   that has moved; otherwise NULL.  */
const Frame* moved_slots_find_return(Addr target, Addr sp);

#endif
