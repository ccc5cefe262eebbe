/* SPDX-License-Identifier: GPL-2.0-or-later

   Stacks as a whole; see shadowstack.h.  */

#include "stack/stacks/shadowstack.h"

#include "options/options.h"
#include "stack/frames/rare_sync.h"
#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/timed_frames.h"
#include "stack/stacks/switch_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define INITIAL_FRAMES 64

ShadowStack* shadowstack_new(void)
{
   ShadowStack* stack = VG_(calloc)("shadowstack.stack", 1, sizeof *stack);
   stack->is_collecting = options.collect_at_start;
   stack->capacity = INITIAL_FRAMES;
   stack->memory =
      VG_(calloc)("shadowstack.frames", INITIAL_FRAMES, shadowstack_frame_size);
   stack->top = shadowstack_bottom(stack);
   stack->top->slot = ~(Addr)0;
   stack->top->flags = FrameBarrier;
   stack->guest_state = shadowstack_no_guest_state;
   shadowstack_take_activations(stack);
   shadowstack_push_region(stack, 0);
   return stack;
}

/* The regions up to this one, and what signals have interrupted there.  */
static void copy_regions(ShadowStack* copy, const ShadowStack* stack, UInt region)
{
   copy->n_regions = 0;
   for (UInt i = 0; i <= region; i++) {
      shadowstack_push_region(copy, stack->regions[i].end);
      StackRegion* made = shadowstack_region(copy);
      made->depth = stack->regions[i].depth;
      made->low = i < region ? stack->regions[i].low : 0;
      const Frame* base = shadowstack_at_depth(stack, made->depth);
      if (i == 0 || !(base->flags & FrameBarrier))
         continue;
      copy->interrupted =
         shadowstack_make_room(copy->interrupted, copy->n_interrupted,
                               &copy->interrupted_capacity, sizeof(ControlPoint));
      copy->interrupted[copy->n_interrupted] = stack->interrupted[copy->n_interrupted];
      copy->n_interrupted++;
   }
}

/* Makes room in a stack without frames for so many.  */
static void reserve(ShadowStack* stack, UInt n)
{
   while (stack->capacity <= n)
      stack->capacity *= 2;
   stack->memory = VG_(realloc)("shadowstack.frames", stack->memory,
                                stack->capacity * shadowstack_frame_size);
   stack->top = shadowstack_bottom(stack);
}

/* Frames that have just been copied have spent nothing yet in the copy, and what shall
   happen where they are left is the copy's.  `original` is that of the topmost.  */
static void begin_copied(ShadowStack* copy, Frame* original)
{
   for (Frame* frame = copy->top; frame != shadowstack_bottom(copy);
        frame = shadowstack_below(frame)) {
      cost_copy(frame->entry, copy->clock);
      original->flags &=
         ~(UInt)(FrameToggle | FrameDump | FrameUncounted | FrameAllocates);
      original = shadowstack_below(original);
   }
   shadowstack_add_activations(copy);
}

ShadowStack* shadowstack_copy(ShadowStack* stack, UInt region, Frame* top)
{
   timed_frames_before_change(stack);
   ShadowStack* copy = shadowstack_new();
   copy->timeline = stack->timeline;
   SizeT size = (SizeT)((UChar*)shadowstack_above(top) - stack->memory);
   UInt n = (UInt)(size / shadowstack_frame_size) - 1;
   reserve(copy, n);
   VG_(memcpy)(copy->memory, stack->memory, size);
   copy->top = shadowstack_at_depth(copy, n);
   copy_regions(copy, stack, region);
   switch_calls_copy(copy, stack, top->slot);
   begin_copied(copy, top);
   return copy;
}

ShadowStack* shadowstack_copy_switched(ShadowStack* stack, UInt region, SizeT above)
{
   timed_frames_before_change(stack);
   Frame* top = shadowstack_top_of(stack);
   UInt first = stack->regions[region].depth;
   UInt n = shadowstack_depth(stack) + 1 - first;
   ShadowStack* copy = shadowstack_new();
   copy->timeline = stack->timeline;
   reserve(copy, n);
   VG_(memcpy)(shadowstack_at_depth(copy, 1), shadowstack_at_depth(stack, first),
               n * shadowstack_frame_size);
   copy->top = shadowstack_at_depth(copy, n);
   Frame* root = shadowstack_at_depth(copy, 1);
   root->flags = FrameRoot;
   root->slot += above;
   copy->n_regions = 0;
   for (UInt i = region; i < stack->n_regions; i++) {
      shadowstack_push_region(copy, stack->regions[i].end);
      StackRegion* made = shadowstack_region(copy);
      *made = stack->regions[i];
      made->depth = i == region ? 0 : made->depth + 1 - first;
      made->is_copied = True;
   }
   copy->regions[0].end += above;
   begin_copied(copy, top);
   return copy;
}

static void save_running(ShadowStack* stack)
{
   rare_sync();
   shadowstack_hold_clock();
   if (options.call_tree)
      calltree_book();
   cost_copy(stack->clock, cost_clock);
   stack->top = shadowstack_now.top;
   stack->at = shadowstack_now.at;
   stack->guest_state = shadowstack_now.guest_state;
}

void shadowstack_switch_to(ShadowStack* stack)
{
   if (shadowstack_now.stack != NULL)
      save_running(shadowstack_now.stack);
   shadowstack_now.stack = stack;
   shadowstack_now.top = shadowstack_now.rare_synced = stack->top;
   if (UNLIKELY(stack->activations == NULL))
      shadowstack_count_activations(stack);
   shadowstack_now.activations = stack->activations;
   shadowstack_now.guest_state = stack->guest_state;
   cost_copy(cost_clock, stack->clock);
   calltree_clock_was_set();
   shadowstack_run_top_at(&stack->at);
}

/* From the top down; below a barrier the clock stands where the signal stopped it.  */
void shadowstack_flush_inclusive(ShadowStack* stack)
{
   Bool is_running = stack == shadowstack_now.stack;
   if (is_running) {
      rare_sync();
      shadowstack_hold_clock();
   }
   if (is_running && options.call_tree)
      calltree_book();
   timed_frames_before_change(stack);
   const ULong* clock = is_running ? cost_clock : stack->clock;
   UInt interruption = stack->n_interrupted;
   shadowstack_book_stub_at(is_running ? &shadowstack_now.at : &stack->at, clock);
   Bool is_topmost = True;
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame)) {
      if (frame->flags & FrameBarrier) {
         clock = frame->entry;
         shadowstack_book_stub_at(&stack->interrupted[--interruption], clock);
         is_topmost = True;
         continue;
      }
      /* A skipped frame that called on was booked at the call.  */
      if (frame->arc != NULL && (!(frame->flags & FrameSkipped) || is_topmost))
         cost_add_span(frame->arc->inclusive, clock, frame->entry);
      if (frame->flags & FrameUncounted)
         shadowstack_count_late(frame, clock);
      cost_copy(frame->entry, clock);
      is_topmost = False;
   }
}

void shadowstack_count_open(ShadowStack* stack, UInt thread)
{
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame))
      if (frame->arc != NULL && !(frame->flags & FrameSkipped))
         arc_count_open(frame->arc, thread);
}

void shadowstack_clear(ShadowStack* stack)
{
   shadowstack_flush_inclusive(stack);
   shadowstack_abandon(stack);
}

void shadowstack_abandon(ShadowStack* stack)
{
   stack->top = shadowstack_bottom(stack);
   stack->n_interrupted = 0;
   stack->n_regions = 1;
   shadowstack_region(stack)->low = 0;
   switch_calls_forget(stack);
   VG_(memset)(&stack->at, 0, sizeof stack->at);
   if (stack->activations != NULL)
      VG_(memset)(stack->activations, 0, stack->n_activations * sizeof(UInt));
   if (stack == shadowstack_now.stack) {
      shadowstack_now.top = shadowstack_now.rare_synced = stack->top;
      shadowstack_now.at.allocation.slot = 0;
      shadowstack_run_top();
   }
}

void shadowstack_free(ShadowStack* stack)
{
   shadowstack_clear(stack);
   cost_add_span(shadowstack_retired_cost, stack->clock, stack->clock_base);
   VG_(free)(stack->memory);
   VG_(free)(stack->activations);
   VG_(free)(stack->interrupted);
   VG_(free)(stack->switch_calls);
   VG_(free)(stack->regions);
   VG_(free)(stack->paths);
   VG_(free)(stack);
}
