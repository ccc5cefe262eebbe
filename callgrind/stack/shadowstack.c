/* SPDX-License-Identifier: GPL-2.0-or-later

   Frames and stacks; see shadowstack.h.

   Owns the running thread's state.  Frames lie one behind the other in one piece
   of memory, each followed by the clock at its entry; a frame's size therefore
   depends on the number of events.  */

#include "stack/shadowstack.h"

#include "options/options.h"
#include "stack/effects.h"
#include "stack/rare_sync.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define INITIAL_FRAMES 64
#define INITIAL_ACTIVATIONS 1024

/* A stack no deeper is parked without its activation counters.  */
#define LIGHT_DEPTH 64

/* Below the stack pointer a function may still keep data.  */
#define RED_ZONE 128

/* What every call and return touches shares two cache lines.  */
ShadowstackNow shadowstack_now __attribute__((aligned(64)));
const UChar shadowstack_no_guest_state[sizeof(VexGuestArchState)]
   __attribute__((aligned(16)));
ULong shadowstack_retired_cost[COST_MAX_EVENTS];
SizeT shadowstack_frame_size;

void shadowstack_init(void)
{
   shadowstack_frame_size = sizeof(Frame) + cost_stride() * sizeof(ULong);
}

static Frame* frame_number(const ShadowStack* stack, UInt index)
{
   return (Frame*)(stack->memory + index * shadowstack_frame_size);
}

/* Makes room for one more entry of `size` bytes in an array.  */
static void* make_room(void* array, UInt n, UInt* capacity, SizeT size)
{
   if (n < *capacity)
      return array;
   *capacity = *capacity == 0 ? 2 : *capacity * 2;
   return VG_(realloc)("shadowstack.array", array, *capacity * size);
}

static void push_region(ShadowStack* stack, Addr end)
{
   stack->regions = make_room(stack->regions, stack->n_regions, &stack->region_capacity,
                              sizeof(StackRegion));
   StackRegion* region = &stack->regions[stack->n_regions++];
   region->low = 0;
   region->end = end;
}

/* Activation counters, all zero, that the last stack to be lightened gave back.  */
static UInt* spare_activations;
static UInt n_spare_activations;

static void take_activations(ShadowStack* stack)
{
   if (spare_activations != NULL) {
      stack->activations = spare_activations;
      stack->n_activations = n_spare_activations;
      spare_activations = NULL;
      return;
   }
   stack->n_activations = INITIAL_ACTIVATIONS;
   stack->activations =
      VG_(calloc)("shadowstack.activations", INITIAL_ACTIVATIONS, sizeof(UInt));
}

ShadowStack* shadowstack_new(void)
{
   ShadowStack* stack = VG_(calloc)("shadowstack.stack", 1, sizeof *stack);
   stack->is_collecting = options.collect_at_start;
   stack->capacity = INITIAL_FRAMES;
   stack->memory =
      VG_(calloc)("shadowstack.frames", INITIAL_FRAMES, shadowstack_frame_size);
   stack->top = shadowstack_bottom(stack);
   stack->top->sp = ~(Addr)0;
   stack->top->flags = FrameBarrier;
   stack->guest_state = shadowstack_no_guest_state;
   take_activations(stack);
   push_region(stack, 0);
   return stack;
}

Frame* shadowstack_top_of(const ShadowStack* stack)
{
   return stack == shadowstack_now.stack ? shadowstack_now.top : stack->top;
}

UInt shadowstack_depth(const ShadowStack* stack)
{
   return (UInt)(((UChar*)shadowstack_top_of(stack) - stack->memory) /
                 shadowstack_frame_size);
}

/*--------------------------------------------------------------------*/
/* Frames                                                              */

static Frame* last_frame(const ShadowStack* stack)
{
   return frame_number(stack, stack->capacity - 1);
}

static void grow_frames(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   UInt depth = shadowstack_depth(stack);
   stack->capacity *= 2;
   stack->memory = VG_(realloc)("shadowstack.frames", stack->memory,
                                stack->capacity * shadowstack_frame_size);
   shadowstack_now.top = frame_number(stack, depth);
}

/* Makes room for every function there is.  New ones come only with new
   translations, after which shadowstack_run_top() is called.  */
static void grow_activations(ShadowStack* stack)
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

/* What jumps or calls within a function goes on in it, and so does, as far as the tree
   can tell, what is not shown.  */
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

Frame* shadowstack_push(Context* context, Addr sp, Addr return_address, UInt flags)
{
   rare_sync();
   if (UNLIKELY(shadowstack_now.top == last_frame(shadowstack_now.stack)))
      grow_frames();
   Frame* below = shadowstack_now.top;
   if (below->flags & FrameSkipped) {
      flags |= FrameOverSkipped;
      cost_add_span(below->arc->inclusive, cost_clock, below->entry);
      cost_copy(below->entry, cost_clock);
   }
   Frame* frame = shadowstack_above(below);
   shadowstack_now.top = shadowstack_now.rare_synced = frame;
   frame->sp = sp;
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

void shadowstack_push_barrier(Addr sp, Addr end)
{
   ShadowStack* stack = shadowstack_now.stack;
   stack->interrupted = make_room(stack->interrupted, stack->n_interrupted,
                                  &stack->interrupted_capacity, sizeof(ControlPoint));
   stack->interrupted[stack->n_interrupted++] = shadowstack_now.at;
   if (shadowstack_now.at.moved == 0) /* otherwise it has been left elsewhere */
      shadowstack_region(stack)->low = sp;
   shadowstack_push(NULL, sp, 0, FrameBarrier);
   push_region(stack, end);
   shadowstack_run_top();
}

void shadowstack_push_stack_switch(Addr moved)
{
   const Frame* below = shadowstack_now.top;
   UInt bare = below->flags & FrameSkipped;
   Frame* frame = shadowstack_push(below->context, moved, 0, FrameStackSwitch | bare);
   below = shadowstack_below(frame);
   if (bare) {
      frame->arc = below->arc;
      frame->skipped_function = below->skipped_function;
      frame->skipped_site = below->skipped_site;
   }
   push_region(shadowstack_now.stack, moved);
}

/* What a signal handler spent is not its victim's: the clock goes back.  */
static void set_clock_back(const ULong* to)
{
   ShadowStack* stack = shadowstack_now.stack;
   if (options.call_tree)
      calltree_book();
   cost_add_span(shadowstack_retired_cost, cost_clock, to);
   cost_copy(cost_clock, to);
   if (!stack->is_collecting)
      cost_copy(stack->frozen_clock, to);
   calltree_clock_was_set();
}

/* The region that began at `frame` is left; the one below is in use again, unless a
   signal interrupted a move away from it.  */
static void pop_region(ShadowStack* stack, const Frame* frame)
{
   stack->n_regions--;
   if (!(frame->flags & FrameBarrier) ||
       stack->interrupted[stack->n_interrupted - 1].moved == 0)
      shadowstack_region(stack)->low = 0;
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
   shadowstack_now.top = shadowstack_now.rare_synced = below;
   if (UNLIKELY(frame->flags & (FrameBarrier | FrameStackSwitch)))
      pop_region(stack, frame);
   if (UNLIKELY(frame->flags & FrameBarrier)) {
      set_clock_back(frame->entry);
      stack->n_interrupted--;
   } else {
      if (frame->arc != NULL)
         cost_add_span(frame->arc->inclusive, cost_clock, frame->entry);
      if (frame->flags & FrameCounted)
         (*shadowstack_activations(frame->context->function))--;
   }
   if (below->flags & FrameSkipped)
      cost_copy(below->entry, cost_clock);
   if (UNLIKELY(frame->flags & (FrameToggle | FrameDump)))
      effects_on_exit(frame);
}

/* The short way for plain calls and returns looks at no option and checks nothing; and
   it must know where the guest's registers are.  */
static Bool may_be_fast(void)
{
   return shadowstack_now.stack->is_collecting && !options.skip_direct_recursion &&
          !options.check && shadowstack_now.guest_state != shadowstack_no_guest_state;
}

void shadowstack_run_top(void)
{
   const Frame* top = shadowstack_now.top;
   Function* function = shadowstack_function(top);
   Bool is_fast = may_be_fast();
   if (UNLIKELY(symbols_n_functions() >= shadowstack_now.stack->n_activations))
      grow_activations(shadowstack_now.stack);
   if (options.call_tree) {
      calltree_run(top->node);
      calltree_count_inlined(shadowstack_now.stack->is_collecting &&
                             !(top->flags & (FrameSkipped | FrameBarrier)));
   }
   shadowstack_now.plain_flags = is_fast ? FRAME_PLAIN : FRAME_NEVER;
   shadowstack_now.last = last_frame(shadowstack_now.stack);
   shadowstack_now.limit =
      is_fast && !(top->flags & FrameSkipped) ? shadowstack_now.last : NULL;
   shadowstack_now.at.last_exit = NULL;
   shadowstack_now.at.stub = NULL;
   shadowstack_now.at.moved = 0;
   shadowstack_now.at.has_crossed = False;
   shadowstack_now.at.current = function != NULL ? symbols_runs_as(function)->id : 0;
   shadowstack_now.counters =
      top->flags & (FrameSkipped | FrameBarrier) || !shadowstack_now.stack->is_collecting
         ? context_scratch_counters()
         : top->context->counters;
}

void shadowstack_set_collecting(ShadowStack* stack, Bool collecting)
{
   if (stack == shadowstack_now.stack)
      shadowstack_hold_clock();
   stack->is_collecting = collecting;
   cost_copy(stack->frozen_clock,
             stack == shadowstack_now.stack ? cost_clock : stack->clock);
   if (stack == shadowstack_now.stack)
      shadowstack_counters_moved();
}

/*--------------------------------------------------------------------*/
/* Stacks as a whole                                                   */

/* The thread stands where `at` says, in the topmost frame or on the way out of it.  A
   stub's cost is booked when it is left: nothing may be entered the short way.  */
static void restore_position(const ControlPoint* at)
{
   shadowstack_now.at = *at;
   if (at->stub != NULL) {
      shadowstack_now.counters = context_scratch_counters();
      shadowstack_now.limit = NULL;
   }
   if (at->moved != 0)
      shadowstack_disable_fast_path();
}

void shadowstack_disable_fast_path(void)
{
   shadowstack_now.limit = NULL;
   shadowstack_now.plain_flags = FRAME_NEVER;
}

/* For each frame that counts as recursion, adds `amount` to its function's counter.  */
static void add_activations(ShadowStack* stack, UInt amount)
{
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame))
      if (frame->flags & FrameCounted)
         stack->activations[frame->context->function_id] += amount;
}

static void count_activations_anew(ShadowStack* stack)
{
   take_activations(stack);
   grow_activations(stack);
   add_activations(stack, 1);
}

void shadowstack_shrink_parked(ShadowStack* stack)
{
   if (stack->activations == NULL || shadowstack_depth(stack) > LIGHT_DEPTH)
      return;
   add_activations(stack, (UInt)-1);
   VG_(free)(spare_activations);
   spare_activations = stack->activations;
   n_spare_activations = stack->n_activations;
   stack->activations = NULL;
}

void shadowstack_switch_to(ShadowStack* stack)
{
   ShadowStack* parked = shadowstack_now.stack;
   if (parked != NULL) {
      rare_sync();
      shadowstack_hold_clock();
      if (options.call_tree)
         calltree_book();
      cost_copy(parked->clock, cost_clock);
      parked->top = shadowstack_now.top;
      parked->at = shadowstack_now.at;
      parked->guest_state = shadowstack_now.guest_state;
   }
   shadowstack_now.stack = stack;
   shadowstack_now.top = shadowstack_now.rare_synced = stack->top;
   if (UNLIKELY(stack->activations == NULL))
      count_activations_anew(stack);
   shadowstack_now.activations = stack->activations;
   shadowstack_now.guest_state = stack->guest_state;
   cost_copy(cost_clock, stack->clock);
   calltree_clock_was_set();
   shadowstack_run_top();
   restore_position(&stack->at);
}

void shadowstack_counters_moved(void)
{
   ControlPoint at = shadowstack_now.at;
   shadowstack_run_top();
   restore_position(&at);
}

static void book_stub(ControlPoint* at, const ULong* clock)
{
   if (at->stub == NULL)
      return;
   cost_add_span(at->stub->inclusive, clock, at->stub_clock);
   cost_copy(at->stub_clock, clock);
}

void shadowstack_book_stub(void) { book_stub(&shadowstack_now.at, cost_clock); }

/* From the top down; below a barrier the clock stands where the signal stopped
   it.  */
void shadowstack_flush_inclusive(ShadowStack* stack)
{
   Bool is_running = stack == shadowstack_now.stack;
   if (is_running) {
      rare_sync();
      shadowstack_hold_clock();
   }
   if (is_running && options.call_tree)
      calltree_book();
   const ULong* clock = is_running ? cost_clock : stack->clock;
   UInt interruption = stack->n_interrupted;
   book_stub(is_running ? &shadowstack_now.at : &stack->at, clock);
   Bool is_topmost = True;
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame)) {
      if (frame->flags & FrameBarrier) {
         clock = frame->entry;
         book_stub(&stack->interrupted[--interruption], clock);
         is_topmost = True;
         continue;
      }
      /* A bare frame that called on was booked at the call.  */
      if (frame->arc != NULL && (!(frame->flags & FrameSkipped) || is_topmost))
         cost_add_span(frame->arc->inclusive, clock, frame->entry);
      cost_copy(frame->entry, clock);
      is_topmost = False;
   }
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
   VG_(memset)(&stack->at, 0, sizeof stack->at);
   if (stack->activations != NULL)
      VG_(memset)(stack->activations, 0, stack->n_activations * sizeof(UInt));
   if (stack == shadowstack_now.stack) {
      shadowstack_now.top = shadowstack_now.rare_synced = stack->top;
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
   VG_(free)(stack->regions);
   VG_(free)(stack);
}

/*--------------------------------------------------------------------*/
/* Which frames a stack pointer has left behind                        */

/* The topmost region that `sp` lies on; -1: none.  */
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

/*--------------------------------------------------------------------*/
/* Repairs                                                             */

static ULong repairs[RepairKinds];

void shadowstack_count_repair(RepairKind kind) { repairs[kind]++; }

void shadowstack_report_repairs(void)
{
   if (repairs[RepairUnderflow] + repairs[RepairUnknownBlock] + repairs[RepairReseeded] ==
       0)
      return;
   VG_(umsg)("shadow stack repaired: %llu times rebuilt from the program's stack, %llu "
             "underflows, %llu blocks unknown\n",
             repairs[RepairReseeded], repairs[RepairUnderflow],
             repairs[RepairUnknownBlock]);
}
