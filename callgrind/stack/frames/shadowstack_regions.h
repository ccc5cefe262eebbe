/* SPDX-License-Identifier: GPL-2.0-or-later

   Stack regions: the pieces of native stack that a shadow stack's frames lie on, and
   which of the frames a stack pointer has left behind.

   Stack pointers are compared within one region only.  A signal handler's stack may lie
   above what it interrupted, and so may the memory that a function has moved its stack
   pointer to.  */

#ifndef CALLGRIND_SHADOWSTACK_REGIONS_H
#define CALLGRIND_SHADOWSTACK_REGIONS_H

#include "stack/frames/shadowstack_types.h"

/* The topmost region.  */
static inline StackRegion* shadowstack_region(const ShadowStack* stack)
{
   return &stack->regions[stack->n_regions - 1];
}

/* The topmost frame of a region; the frame that it began with if it has no other.  */
static inline Frame* shadowstack_region_top(const ShadowStack* stack, UInt region)
{
   return region + 1 == stack->n_regions ? shadowstack_top_of(stack)
                                         : shadowstack_below(shadowstack_at_depth(
                                              stack, stack->regions[region + 1].depth));
}

/* A new topmost region, in use, with its frames' slots at or below `end`.  It begins with
   the topmost frame.  */
void shadowstack_push_region(ShadowStack* stack, Addr end);

/* The region that began at `frame`, a barrier or stack switch, is left.  The one below is
   in use again, unless a signal interrupted a move away from it.  */
void shadowstack_pop_region(ShadowStack* stack, const Frame* frame);

/* True if `sp` lies in any region of the stack.  */
Bool shadowstack_holds(const ShadowStack* stack, Addr sp);

/* As shadowstack_holds(), of the topmost region.  (Of a stack in a local array that has
   been moved, a lower one seems to hold it.)  */
Bool shadowstack_topmost_holds(const ShadowStack* stack, Addr sp);

/* The topmost region that `sp` lies in; if it lies in none, the topmost one.  */
UInt shadowstack_region_of(const ShadowStack* stack, Addr sp);

/* The topmost frame of a stack that a stack pointer of `sp` has not left behind.
   Frames of a region are left only by a stack pointer in that region.  */
Frame* shadowstack_first_not_left(const ShadowStack* stack, Addr sp);

/* As shadowstack_first_not_left(), of one region.  */
Frame* shadowstack_first_not_left_in(const ShadowStack* stack, UInt region, Addr sp);

/* A return to `target` leaves the stack pointer at `sp`: the frame from which that is the
   plain return, below those that were entered from it by jumps.  NULL if there is none in
   the running region or across a stack switch.  */
Frame* shadowstack_find_return(const ShadowStack* stack, Addr target, Addr sp);

/* As shadowstack_find_return(), in one region.  */
Frame* shadowstack_find_return_in(const ShadowStack* stack, UInt region, Addr target,
                                  Addr sp);

#endif
