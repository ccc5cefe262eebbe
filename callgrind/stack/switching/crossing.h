/* SPDX-License-Identifier: GPL-2.0-or-later

   Crossing: the running thread goes on on another shadow stack.  For those
   who decide (coroutine.h, copies.h).  */

#ifndef CALLGRIND_CROSSING_H
#define CALLGRIND_CROSSING_H

#include "stack/stacks/parking.h"

/* The running thread goes on in a region of a parked stack.  What lies above that region
   is left.  */
void crossing_to(ParkedRegion parked);

/* Control goes on in a region of a stack, running or parked, to where a frame there has
   called on another stack.  The frames above may be a coroutine's that has yielded, and
   goes on later: OCaml's fibers perform effects like this.  They are kept as a stack of
   their own.  (The frames of a scheduler that goes on to the coroutine that called it are
   not returned to.  They are kept until it is called on its stack again.)  */
void crossing_park_above(ParkedRegion at);

/* With --stats: how many frames were copied.  */
void crossing_print_stats(void);

/* Above the slot of its first function a new stack may hold arguments, and space for the
   function that the first one returns to.  */
#define CROSSING_ABOVE_FIRST_SLOT 64

/* The running thread goes on on `stack`, which is new.  */
void crossing_to_made(ShadowStack* stack);

/* The running thread goes on on a stack without frames, which ends at `end`.  */
void crossing_to_new(Addr end);

/* Where the running function has moved its stack pointer to, perhaps to another stack; it
   may have called from there.  0: it has not.  */
Addr crossing_moved(void);

#endif
