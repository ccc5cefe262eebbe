/* SPDX-License-Identifier: GPL-2.0-or-later

   Crossing to another shadow stack; see crossing.h.  */

#include "stack/switching/crossing.h"

#include "guest/address.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/stacks/shadowstack.h"
#include "stack/threads/thread.h"

#include "pub_tool_libcprint.h"

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

/* Is this memory a newer region's of the running stack?  Then what was left there is
   dead: frames on a scheduler's stack, which are never returned to.  */
static Bool is_overgrown(const StackRegion* region, ULong parked)
{
   const ShadowStack* stack = shadowstack_now.stack;
   for (UInt i = stack->n_regions; i-- > 0;) {
      const StackRegion* running = &stack->regions[i];
      if (running->created > parked && running->low < region->end &&
          region->low < running->end)
         return True;
   }
   return False;
}

/* Frames are copied once for each time that they were entered.  But if the stacks that
   call on one another go on by themselves from the outermost on, those further in are
   copied again each time.  So many frames may be, and with each crossing some more.  */
#define AGAIN_AT_FIRST (1u << 22)
#define AGAIN_MORE 128
static UInt again_left = AGAIN_AT_FIRST;

static struct {
   ULong times;
   ULong frames; /* all that were copied */
   ULong again;  /* those among them that had been copied before */
} work;

/* May the frames of the regions from `first` on be copied?  */
static Bool may_copy(const ShadowStack* stack, UInt first)
{
   UInt top = shadowstack_depth(stack), end = top + 1, again = 0;
   for (UInt i = stack->n_regions; i-- > first; end = stack->regions[i].depth)
      if (stack->regions[i].is_copied)
         again += end - stack->regions[i].depth;
   if (again_left < AGAIN_AT_FIRST)
      again_left += AGAIN_MORE;
   if (again > again_left)
      return False;
   again_left -= again;
   work.times++;
   work.frames += top + 1 - stack->regions[first].depth;
   work.again += again;
   return True;
}

void crossing_park_above(ParkedRegion at)
{
   ShadowStack* stack = at.stack;
   UInt first = at.region + 1;
   if (first >= stack->n_regions || stack->regions[first].end == 0 ||
       shadowstack_top_of(stack)->flags & FrameStackSwitch)
      return;
   for (UInt region = first; region < stack->n_regions; region++) {
      const Frame* base = shadowstack_at_depth(stack, stack->regions[region].depth);
      if (!(base->flags & FrameStackSwitch) || base->flags & FrameSkipped)
         return;
   }
   Bool is_running = stack == shadowstack_now.stack;
   if ((!is_running && is_overgrown(&stack->regions[first], stack->parked)) ||
       !may_copy(stack, first))
      return;
   ShadowStack* copy = shadowstack_copy_switched(stack, first, CROSSING_ABOVE_FIRST_SLOT);
   parking_park(copy);
   if (!is_running)
      copy->parked = stack->parked;
}

void crossing_print_stats(void)
{
   VG_(umsg)("others' frames were kept %llu times: %llu, %llu of them again\n",
             work.times, work.frames, work.again);
}

void crossing_to(ParkedRegion parked)
{
   shadowstack_book_stub();
   leave_empty_switches();
   parking_take(parked.stack);
   crossing_park_above(parked);
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
