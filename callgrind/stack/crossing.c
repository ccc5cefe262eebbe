/* SPDX-License-Identifier: GPL-2.0-or-later

   Crossing to another shadow stack; see crossing.h.  */

#include "stack/crossing.h"

#include "guest/address.h"
#include "stack/shadowstack.h"
#include "stack/shadowstack_frames.h"
#include "stack/shadowstack_regions.h"
#include "stack/shadowstack_running.h"
#include "stack/thread.h"

/* A function that goes on elsewhere, and has called nothing that is still open there,
   leaves its stack where it moved away from it.  */
static void leave_empty_switches(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   while (shadowstack_now.top->flags & FrameStackSwitch) {
      Addr low = stack->regions[stack->n_regions - 2].low;
      shadowstack_pop();
      shadowstack_region(stack)->low = low;
   }
}

void crossing_to(ParkedRegion parked)
{
   shadowstack_book_stub();
   leave_empty_switches();
   parking_take(parked.stack);
   thread_cross_to(parked.stack);
   while (shadowstack_now.stack->n_regions > parked.region + 1)
      shadowstack_pop();
   shadowstack_region(parked.stack)->low = 0;
   shadowstack_run_top();
}

void crossing_to_made(ShadowStack* stack)
{
   shadowstack_book_stub();
   leave_empty_switches();
   thread_cross_to(stack);
   shadowstack_run_top();
}

void crossing_to_new(Addr end)
{
   ShadowStack* stack = shadowstack_new();
   shadowstack_region(stack)->end = end;
   crossing_to_made(stack);
   parking_note_new(stack);
}

Addr crossing_moved(void)
{
   if (shadowstack_now.at.moved != 0 || !(shadowstack_now.top->flags & FrameStackSwitch))
      return shadowstack_now.at.moved;
   return shadowstack_region(shadowstack_now.stack)->end;
}

Bool crossing_is_in_chain(const Frame* frame, Function* function)
{
   const Function* runs_as = symbols_runs_as(function);
   for (;; frame = shadowstack_below(frame)) {
      Function* here = shadowstack_function(frame);
      if (here != NULL && (here == function || symbols_runs_as(here) == runs_as ||
                           shadowstack_was_jumped_from(frame, function)))
         return True;
      if (!(frame->flags & FrameTail))
         return False;
   }
}

Bool crossing_is_surely_at_start(const Block* block)
{
   return !block->function->is_unbounded &&
          address_is_start(block->function, block->address);
}
