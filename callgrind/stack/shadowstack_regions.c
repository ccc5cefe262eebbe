/* SPDX-License-Identifier: GPL-2.0-or-later

   Stack regions; see shadowstack_regions.h.  */

#include "stack/shadowstack_regions.h"

/* Below the stack pointer a function may still keep data.  */
#define RED_ZONE 128

void shadowstack_push_region(ShadowStack* stack, Addr end)
{
   stack->regions = shadowstack_make_room(stack->regions, stack->n_regions,
                                          &stack->region_capacity, sizeof(StackRegion));
   StackRegion* region = &stack->regions[stack->n_regions++];
   region->low = 0;
   region->end = end;
}

void shadowstack_pop_region(ShadowStack* stack, const Frame* frame)
{
   stack->n_regions--;
   if (!(frame->flags & FrameBarrier) ||
       stack->interrupted[stack->n_interrupted - 1].moved == 0)
      shadowstack_region(stack)->low = 0;
}

/* The index of the topmost region that `sp` lies in; -1: none.  */
static Int region_of(const ShadowStack* stack, Addr sp)
{
   for (Int i = (Int)stack->n_regions - 1; i >= 0; i--) {
      const StackRegion* region = &stack->regions[i];
      if (sp <= region->end && (region->low == 0 || sp >= region->low - RED_ZONE))
         return i;
   }
   return -1;
}

Bool shadowstack_holds(const ShadowStack* stack, Addr sp)
{
   return region_of(stack, sp) >= 0;
}

Frame* shadowstack_first_not_left(const ShadowStack* stack, Addr sp)
{
   Int region = region_of(stack, sp);
   Frame* frame = shadowstack_top_of(stack);
   if (region >= 0)
      for (Int i = (Int)stack->n_regions - 1; i > region; i--) {
         while (!(frame->flags & (FrameBarrier | FrameStackSwitch)))
            frame = shadowstack_below(frame);
         frame = shadowstack_below(frame);
      }
   while (frame->sp < sp && !(frame->flags & (FrameBarrier | FrameStackSwitch)))
      frame = shadowstack_below(frame);
   return frame;
}

Frame* shadowstack_find_return(const ShadowStack* stack, Addr target, Addr sp)
{
   UInt n_stack_switches = stack->n_regions - 1 - stack->n_interrupted;
   for (Frame* frame = shadowstack_top_of(stack); !(frame->flags & FrameBarrier);
        frame = shadowstack_below(frame)) {
      if (frame->flags & FrameStackSwitch)
         n_stack_switches--;
      else if (!shadowstack_is_left(frame->sp, sp) && n_stack_switches == 0)
         return NULL;
      else if (shadowstack_sp_after(frame->sp) == sp &&
               shadowstack_return_address(frame) == target) {
         while (frame->flags & FrameTail)
            frame = shadowstack_below(frame);
         return frame;
      }
   }
   return NULL;
}
