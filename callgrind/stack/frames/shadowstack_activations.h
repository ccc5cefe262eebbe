/* SPDX-License-Identifier: GPL-2.0-or-later

   Activation counters: for each function, how many of a stack's frames count as recursion
   (FrameCounted).  An array by function id; its length is the stack's `n_activations`.

   A stack that is parked may be without: of a thousand coroutines few are deep, and the
   counters are quickly made from the frames.  */

#ifndef CALLGRIND_SHADOWSTACK_ACTIVATIONS_H
#define CALLGRIND_SHADOWSTACK_ACTIVATIONS_H

#include "stack/frames/shadowstack_types.h"

/* A function's counter on the running stack.  */
static inline UInt* shadowstack_activations(const Function* function)
{
   return &shadowstack_now.activations[function->id];
}

/* Gives a stack counters, all zero.  The stack owns them.  */
void shadowstack_take_activations(ShadowStack* stack);

/* Makes room for every function there is.  New functions come only with new translations;
   after these, shadowstack_run_top() calls this.  */
void shadowstack_grow_activations(ShadowStack* stack);

/* Makes the counters from the frames, for a stack that was parked without.  */
void shadowstack_count_activations(ShadowStack* stack);

/* As shadowstack_count_activations(), for a stack that has counters, all zero.  */
void shadowstack_add_activations(ShadowStack* stack);

/* `stack` does not run.  Takes its counters away, unless it is so deep that making them
   again would take long.  */
void shadowstack_shrink_parked(ShadowStack* stack);

#endif
