/* SPDX-License-Identifier: GPL-2.0-or-later

   The running frame; see shadowstack_running.h.  */

#include "stack/frames/shadowstack_running.h"

#include "options/options.h"
#include "stack/frames/shadowstack_activations.h"

/* The fast path looks at no option and checks nothing; and it must know where the guest's
   registers are.  */
static Bool may_be_fast(void)
{
   return shadowstack_now.stack->is_collecting && !options.skip_direct_recursion &&
          options.check != CheckAll &&
          shadowstack_now.guest_state != shadowstack_no_guest_state;
}

void shadowstack_run_top(void)
{
   const Frame* top = shadowstack_now.top;
   Function* function = shadowstack_function(top);
   Bool is_fast = may_be_fast();
   if (UNLIKELY(symbols_n_functions() >= shadowstack_now.stack->n_activations))
      shadowstack_grow_activations(shadowstack_now.stack);
   if (options.call_tree) {
      calltree_run(top->node);
      calltree_count_inlined(shadowstack_now.stack->is_collecting &&
                             !(top->flags & (FrameSkipped | FrameBarrier)));
   }
   shadowstack_now.plain_flags = is_fast ? FRAME_PLAIN : FRAME_NEVER;
   shadowstack_now.last = shadowstack_last_of(shadowstack_now.stack);
   shadowstack_now.limit =
      is_fast && !(top->flags & FrameSkipped) ? shadowstack_now.last : NULL;
   shadowstack_now.at.last_exit = NULL;
   shadowstack_now.at.stub = NULL;
   shadowstack_now.at.moved = 0;
   shadowstack_now.at.move_state = MoveOpen;
   shadowstack_now.at.current = function != NULL ? symbols_runs_as(function)->id : 0;
   shadowstack_now.counters =
      top->flags & (FrameSkipped | FrameBarrier) || !shadowstack_now.stack->is_collecting
         ? context_scratch_counters()
         : top->context->counters;
}

void shadowstack_run_top_at(const ControlPoint* at)
{
   const ControlPoint wanted = *at; /* it may be shadowstack_now's own */
   shadowstack_run_top();
   shadowstack_now.at = wanted;
   if (wanted.stub != NULL) {
      /* A stub's cost is booked when it is left, which the fast path does not do.  */
      shadowstack_now.counters = context_scratch_counters();
      shadowstack_now.limit = NULL;
   }
   if (wanted.moved != 0)
      shadowstack_disable_fast_path();
}

void shadowstack_counters_moved(void) { shadowstack_run_top_at(&shadowstack_now.at); }

void shadowstack_disable_fast_path(void)
{
   shadowstack_now.limit = NULL;
   shadowstack_now.plain_flags = FRAME_NEVER;
}

void shadowstack_book_stub_at(ControlPoint* at, const ULong* clock)
{
   if (at->stub == NULL)
      return;
   cost_add_span(at->stub->inclusive, clock, at->stub_clock);
   cost_copy(at->stub_clock, clock);
}

void shadowstack_book_stub(void)
{
   shadowstack_book_stub_at(&shadowstack_now.at, cost_clock);
}

void shadowstack_set_collecting(ShadowStack* stack, Bool collecting)
{
   Bool is_running = stack == shadowstack_now.stack;
   if (is_running)
      shadowstack_hold_clock();
   stack->is_collecting = collecting;
   cost_copy(stack->frozen_clock, is_running ? cost_clock : stack->clock);
   if (is_running)
      shadowstack_counters_moved();
}
