/* SPDX-License-Identifier: GPL-2.0-or-later

   Frames; see shadowstack_frames.h.

   A skipped frame has no inclusive cost.  Its cost is booked on its owner's arc bit
   by bit: when it calls a function that is shown, its `entry` moves on, so that the
   callee's cost is left out.  */

#include "stack/frames/shadowstack_frames.h"

#include "options/options.h"
#include "stack/frames/effects.h"
#include "stack/frames/rare_sync.h"
#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_repairs.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/timed_frames.h"

#include "pub_tool_mallocfree.h"

ULong shadowstack_retired_cost[COST_MAX_EVENTS];

static void grow_frames(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   SizeT used = shadowstack_depth(stack) * shadowstack_frame_size;
   stack->capacity *= 2;
   stack->memory = VG_(realloc)("shadowstack.frames", stack->memory,
                                stack->capacity * shadowstack_frame_size);
   shadowstack_now.top = (Frame*)(stack->memory + used);
}

/* Jumps and calls within a function stay at its node.  So does skipped code, at that
   of its owner.  */
void shadowstack_find_node(Frame* frame, const Frame* below, const Inlined* inlined)
{
   frame->node = NULL;
   if (!options.call_tree || frame->flags & FrameBarrier)
      return;
   TreeNode* parent = below->node;
   Bool has_own = !(frame->flags & (FrameSkipped | FrameInner | FrameStackSwitch));
   if (parent != NULL && !has_own) {
      frame->node = parent;
      return;
   }
   if (parent == NULL)
      parent = calltree_thread();
   else if (!(below->flags & FrameSkipped))
      parent = calltree_inlined(parent, inlined);
   frame->node = calltree_child(parent, frame->context->function,
                                frame->flags & FrameSkipped ? NodeSkipped : NodeCalled);
}

Frame* shadowstack_push(Context* context, Addr slot, Addr return_address, UInt flags)
{
   rare_sync();
   if (context != NULL)
      context_enter(context);
   if (UNLIKELY(shadowstack_now.top == shadowstack_last_of(shadowstack_now.stack)))
      grow_frames();
   Frame* below = shadowstack_now.top;
   if (below->flags & FrameSkipped) {
      flags |= FrameOverSkipped;
      cost_add_span(below->arc->inclusive, cost_clock, below->entry);
      cost_copy(below->entry, cost_clock);
   }
   Frame* frame = shadowstack_above(below);
   shadowstack_now.top = shadowstack_now.rare_synced = frame;
   frame->slot = slot;
   frame->return_address = return_address;
   frame->context = context;
   frame->arc = NULL;
   frame->flags = flags;
   frame->skipped_function = NULL;
   frame->skipped_site = NULL;
   cost_copy(frame->entry, cost_clock);
   shadowstack_find_node(frame, below, NULL);
   return frame;
}

void shadowstack_book_on(Frame* skipped, Context* caller, CallSite* site)
{
   if (caller == NULL) {
      caller = context_of_skipped();
      site = callsite_unknown(caller->function);
   }
   skipped->context = caller;
   skipped->skipped_site = site;
   skipped->arc = arc_get(caller, site, NULL, NULL);
}

void shadowstack_push_skipped(Function* function, Context* caller, CallSite* site,
                              Addr sp, Addr return_address, UInt flags)
{
   Context* context = caller != NULL ? caller : context_of_skipped();
   Frame* frame = shadowstack_push(context, sp, return_address, flags | FrameSkipped);
   frame->skipped_function = function;
   shadowstack_book_on(frame, caller, site);
}

void shadowstack_push_barrier(Addr sp, Addr end)
{
   ShadowStack* stack = shadowstack_now.stack;
   stack->interrupted =
      shadowstack_make_room(stack->interrupted, stack->n_interrupted,
                            &stack->interrupted_capacity, sizeof(ControlPoint));
   stack->interrupted[stack->n_interrupted++] = shadowstack_now.at;
   shadowstack_now.at.allocation.slot = 0;
   if (shadowstack_now.at.moved == 0) /* otherwise it has been left elsewhere */
      shadowstack_region(stack)->low = sp;
   shadowstack_push(NULL, sp, 0, FrameBarrier);
   shadowstack_push_region(stack, end);
   shadowstack_run_top();
}

void shadowstack_push_stack_switch(Addr moved)
{
   const Frame* below = shadowstack_now.top;
   UInt skipped = below->flags & FrameSkipped;
   Frame* frame = shadowstack_push(below->context, moved, 0, FrameStackSwitch | skipped);
   below = shadowstack_below(frame); /* frames may have moved */
   if (skipped) {
      frame->arc = below->arc;
      frame->skipped_function = below->skipped_function;
      frame->skipped_site = below->skipped_site;
   }
   shadowstack_push_region(shadowstack_now.stack, moved);
}

/* What a signal handler spent is not its victim's: the clock goes back.  */
static void set_clock_back(const ULong* to)
{
   ShadowStack* stack = shadowstack_now.stack;
   if (options.call_tree)
      calltree_book();
   timed_frames_before_set_back(cost_clock[CostIr] - to[CostIr]);
   cost_add_span(shadowstack_retired_cost, cost_clock, to);
   cost_copy(cost_clock, to);
   if (!stack->is_collecting)
      cost_copy(stack->frozen_clock, to);
   calltree_clock_was_set();
}

void shadowstack_count_late(Frame* frame, const ULong* clock)
{
   if (cost_is_same(frame->entry, clock))
      return;
   frame->flags &= ~(UInt)FrameUncounted;
   if (frame->arc != NULL)
      frame->arc->calls++;
   if (options.call_tree && frame->node != NULL)
      frame->node->calls++;
}

void shadowstack_pop(void)
{
   Frame* frame = shadowstack_now.top;
   Frame* below = shadowstack_below(frame);
   ShadowStack* stack = shadowstack_now.stack;
   if (UNLIKELY(frame == shadowstack_bottom(stack))) {
      shadowstack_count_repair(RepairUnderflow);
      return;
   }
   rare_sync();
   timed_frames_left(frame);
   shadowstack_now.top = shadowstack_now.rare_synced = below;
   if (UNLIKELY(frame->flags & (FrameBarrier | FrameStackSwitch)))
      shadowstack_pop_region(stack, frame);
   if (UNLIKELY(frame->flags & FrameBarrier)) {
      set_clock_back(frame->entry);
      stack->n_interrupted--;
   } else {
      if (frame->arc != NULL)
         cost_add_span(frame->arc->inclusive, cost_clock, frame->entry);
      if (UNLIKELY(frame->flags & FrameUncounted))
         shadowstack_count_late(frame, cost_clock);
      if (frame->flags & FrameCounted)
         (*shadowstack_activations(frame->context->function))--;
   }
   if (below->flags & FrameSkipped)
      cost_copy(below->entry, cost_clock);
   if (UNLIKELY(frame->flags & (FrameToggle | FrameDump | FrameAllocates)))
      effects_on_exit(frame);
}
