/* SPDX-License-Identifier: GPL-2.0-or-later

   Activation counters; see shadowstack_activations.h.

   Owns one spare array, which the last stack to be parked gave back: a program that
   switches between coroutines need not allocate at each switch.  */

#include "stack/frames/shadowstack_activations.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define INITIAL_ACTIVATIONS 1024

/* A stack no deeper is parked without its counters.  */
#define SHALLOW_DEPTH 64

static UInt* spare; /* all zero; NULL if there is none */
static UInt n_spare;

void shadowstack_take_activations(ShadowStack* stack)
{
   if (spare != NULL) {
      stack->activations = spare;
      stack->n_activations = n_spare;
      spare = NULL;
      return;
   }
   stack->n_activations = INITIAL_ACTIVATIONS;
   stack->activations =
      VG_(calloc)("shadowstack.activations", INITIAL_ACTIVATIONS, sizeof(UInt));
}

void shadowstack_grow_activations(ShadowStack* stack)
{
   UInt size = stack->n_activations;
   while (size <= symbols_n_functions())
      size *= 2;
   if (size > stack->n_activations) {
      UInt* grown = VG_(calloc)("shadowstack.activations", size, sizeof(UInt));
      VG_(memcpy)(grown, stack->activations, stack->n_activations * sizeof(UInt));
      VG_(free)(stack->activations);
      stack->activations = grown;
      stack->n_activations = size;
   }
   if (stack == shadowstack_now.stack)
      shadowstack_now.activations = stack->activations;
}

/* For each frame that counts as recursion, adds `amount` to its function's counter.  */
static void add_for_each_frame(ShadowStack* stack, UInt amount)
{
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame))
      if (frame->flags & FrameCounted)
         stack->activations[frame->context->function_id] += amount;
}

void shadowstack_add_activations(ShadowStack* stack)
{
   shadowstack_grow_activations(stack);
   add_for_each_frame(stack, 1);
}

void shadowstack_count_activations(ShadowStack* stack)
{
   shadowstack_take_activations(stack);
   shadowstack_add_activations(stack);
}

void shadowstack_shrink_parked(ShadowStack* stack)
{
   if (stack->activations == NULL || shadowstack_depth(stack) > SHALLOW_DEPTH)
      return;
   add_for_each_frame(stack, (UInt)-1);
   VG_(free)(spare);
   spare = stack->activations;
   n_spare = stack->n_activations;
   stack->activations = NULL;
}
