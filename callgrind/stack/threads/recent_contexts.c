/* SPDX-License-Identifier: GPL-2.0-or-later

   See recent_contexts.h.  */

#include "stack/threads/recent_contexts.h"

#include "model/arc_targets.h"
#include "stack/frames/shadowstack_types.h"
#include "stack/threads/thread.h"

static const Function* function;
static UInt price; /* how many things were looked at */

/* Makes all calls to the function take the slow path once.  False if there are some that
   come by way of a stub.  */
static Bool leave_fast_path(void)
{
   price += arc_n_remembered(function);
   for (const Block* block = block_first_of(function);
        block != NULL && arc_n_remembered(function) > 0;
        block = block->next_of_function) {
      price++;
      arc_forget_target(block->key);
   }
   return arc_n_remembered(function) == 0;
}

static void enter_anew(ShadowStack* stack)
{
   const Frame* bottom = shadowstack_bottom(stack);
   price++;
   for (const Frame* frame = shadowstack_top_of(stack); frame != bottom;
        frame = shadowstack_below(frame)) {
      price++;
      if (frame->context != NULL && frame->context->function == function)
         context_enter(frame->context);
   }
}

void recent_contexts_after_retiring(const Block* block)
{
   if (!context_is_round_due(block->function))
      return;
   function = block->function;
   price = 0;
   arc_forget_target(block->key);
   if (leave_fast_path()) {
      context_begin_round(function);
      thread_for_each(enter_anew);
   }
   context_pay_for_round(function, price);
}
