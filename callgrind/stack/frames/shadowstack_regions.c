/* SPDX-License-Identifier: GPL-2.0-or-later

   Stack regions; see shadowstack_regions.h.  */

#include "stack/frames/shadowstack_regions.h"

#include "guest/arch.h"

void shadowstack_push_region(ShadowStack* stack, Addr end)
{
   stack->regions = shadowstack_make_room(stack->regions, stack->n_regions,
                                          &stack->region_capacity, sizeof(StackRegion));
   StackRegion* region = &stack->regions[stack->n_regions++];
   region->low = 0;
   region->end = end;
   region->depth = shadowstack_depth(stack);
   region->created = 0;
   region->is_copied = False;
   region->kept.low = 0;
   region->kept.n = 0;
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
      if (sp <= region->end && (region->low == 0 || sp >= region->low - ARCH_RED_ZONE))
         return i;
   }
   return -1;
}

Bool shadowstack_holds(const ShadowStack* stack, Addr sp)
{
   return region_of(stack, sp) >= 0;
}

Bool shadowstack_topmost_holds(const ShadowStack* stack, Addr sp)
{
   return region_of(stack, sp) == (Int)stack->n_regions - 1;
}

/* The barrier or stack switch frame that a region began with.  */
static const Frame* base_of(const ShadowStack* stack, UInt region)
{
   return shadowstack_at_depth(stack, stack->regions[region].depth);
}

Frame* shadowstack_first_not_left_in(const ShadowStack* stack, UInt region, Addr sp)
{
   const Frame* base = base_of(stack, region);
   Frame* frame = shadowstack_region_top(stack, region);
   while (frame->slot < sp && frame != base)
      frame = shadowstack_below(frame);
   return frame;
}

UInt shadowstack_region_of(const ShadowStack* stack, Addr sp)
{
   Int region = region_of(stack, sp);
   return region >= 0 ? (UInt)region : stack->n_regions - 1;
}

Frame* shadowstack_first_not_left(const ShadowStack* stack, Addr sp)
{
   return shadowstack_first_not_left_in(stack, shadowstack_region_of(stack, sp), sp);
}

Frame* shadowstack_find_return_in(const ShadowStack* stack, UInt region, Addr target,
                                  Addr sp)
{
   /* Not to go through a deep stack when control is on one that lies above.  */
   Addr end = stack->regions[region].end;
   if (end != 0 && sp > shadowstack_sp_after(end))
      return NULL;
   const Frame* base = base_of(stack, region);
   for (Frame* frame = shadowstack_region_top(stack, region);
        frame != base && shadowstack_is_left(frame->slot, sp);
        frame = shadowstack_below(frame))
      if (shadowstack_sp_after(frame->slot) == sp &&
          shadowstack_return_address(frame) == target) {
         while (frame->flags & FrameTail)
            frame = shadowstack_below(frame);
         return frame;
      }
   return NULL;
}

Frame* shadowstack_find_return(const ShadowStack* stack, Addr target, Addr sp)
{
   for (UInt region = stack->n_regions; region-- > 0;) {
      Frame* found = shadowstack_find_return_in(stack, region, target, sp);
      if (found != NULL || base_of(stack, region)->flags & FrameBarrier)
         return found;
   }
   return NULL;
}
