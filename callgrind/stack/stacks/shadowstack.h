/* SPDX-License-Identifier: GPL-2.0-or-later

   A shadow stack as a whole: made, taken up by a thread, flushed, emptied, freed.
   What it looks like inside is in shadowstack_types.h.  */

#ifndef CALLGRIND_SHADOWSTACK_H
#define CALLGRIND_SHADOWSTACK_H

#include "stack/frames/shadowstack_types.h"

/* A stack without frames, which the caller owns.  */
ShadowStack* shadowstack_new(void);

/* A new stack with a copy of `stack`, up to `top`, a frame of that region or of its
   base. What the frames have spent so far is the original's, and so is nothing that
   happens where they are left: that is the copy's. The caller owns it.  */
ShadowStack* shadowstack_copy(ShadowStack* stack, UInt region, Frame* top);

/* A new stack with a copy of the frames of `stack` from this region on, which begins with
   a stack switch frame.  In the copy nobody has called that one's function, which has so
   many bytes above where the region began.  What has been spent so far, and what happens
   where frames are left, is shared out as above.  The caller owns it.  */
ShadowStack* shadowstack_copy_switched(ShadowStack* stack, UInt region, SizeT above);

/* Parks the running thread's stack, if there is one, and takes up `stack`.  */
void shadowstack_switch_to(ShadowStack* stack);

/* Flushes inclusive costs: books what every open frame has spent so far, and starts them
   anew from here.  Frames stay.  */
void shadowstack_flush_inclusive(ShadowStack* stack);

/* After arc_zero() for `thread`: counts the calls of the stack that are open.  */
void shadowstack_count_open(ShadowStack* stack, UInt thread);

/* Leaves all frames, booking their costs.  */
void shadowstack_clear(ShadowStack* stack);

/* Forgets all frames without booking: a forked child's other threads.  */
void shadowstack_abandon(ShadowStack* stack);

/* Books all that is open, and frees the stack, which must not be any thread's.  */
void shadowstack_free(ShadowStack* stack);

#endif
