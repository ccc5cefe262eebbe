/* SPDX-License-Identifier: GPL-2.0-or-later

   Coroutines; see coroutine.h.  */

#include "stack/coroutine.h"

#include "guest/address.h"
#include "stack/parking.h"
#include "stack/seed.h"
#include "stack/shadowstack.h"
#include "stack/shadowstack_frames.h"
#include "stack/shadowstack_regions.h"
#include "stack/shadowstack_repairs.h"
#include "stack/shadowstack_running.h"
#include "stack/thread.h"

/* Above the slot of its first function a new stack may hold arguments, and space for the
   function that the first one returns to.  */
#define ABOVE_FIRST_SLOT 64

/* The running thread goes on in a region of a parked stack.  What lies above that region
   is left.  */
static void cross_to(ParkedRegion parked)
{
   shadowstack_book_stub();
   parking_take(parked.stack);
   thread_cross_to(parked.stack);
   while (shadowstack_now.stack->n_regions > parked.region + 1)
      shadowstack_pop();
   shadowstack_region(parked.stack)->low = 0;
   shadowstack_run_top();
}

/* The running thread goes on on a new stack, which ends at `end`.  */
static void cross_to_new(Addr end)
{
   shadowstack_book_stub();
   ShadowStack* stack = shadowstack_new();
   shadowstack_region(stack)->end = end;
   thread_cross_to(stack);
   shadowstack_run_top();
   parking_note_new(stack);
}

/* The same; `parked` is dead, and its memory the new one's.  */
static void cross_to_memory_of(ParkedRegion parked, Addr end)
{
   if (parked.region > 0) {
      parking_drop(parked);
      cross_to_new(end);
      return;
   }
   cross_to(parked);
   shadowstack_clear(parked.stack);
   shadowstack_region(parked.stack)->end = end;
   parking_note_new(parked.stack);
}

/* If `sp` is exactly where the same function left a parked stack, the thread goes on
   there.  (If another function left it, as `swapcontext` may leave what `setcontext`
   resumes, the function goes on where it is until control leaves it, since its code
   is its cost.)  */
static Bool resumes_same_function(Addr sp)
{
   ParkedRegion parked = parking_find_left_at(sp);
   if (parked.stack == NULL ||
       shadowstack_function(shadowstack_region_top(parked.stack, parked.region)) !=
          shadowstack_function(shadowstack_now.top))
      return False;
   cross_to(parked);
   return True;
}

/* Is the stack pointer back in the frame below the stack switch frame on top?  */
static Bool is_back_across_switch(Addr sp)
{
   const ShadowStack* stack = shadowstack_now.stack;
   const Frame* top = shadowstack_now.top;
   if (!(top->flags & FrameStackSwitch))
      return False;
   const StackRegion* lower = &stack->regions[stack->n_regions - 2];
   return sp + sizeof(Addr) >= lower->low && sp <= shadowstack_below(top)->sp;
}

void coroutine_sp_loaded(Addr new_sp, Addr old_sp)
{
   StackRegion* region = shadowstack_region(shadowstack_now.stack);
   Bool was_moved = shadowstack_now.at.moved != 0;
   Addr low = was_moved ? region->low : old_sp;
   Bool is_own_frame =
      new_sp >= low && new_sp <= shadowstack_now.top->sp && new_sp <= region->end;
   if (is_own_frame && parking_find(new_sp).stack == NULL) {
      region->low = 0;
      shadowstack_now.at.moved = 0;
      if (was_moved)
         shadowstack_counters_moved();
      return;
   }
   if (is_back_across_switch(new_sp)) {
      const ControlPoint at = shadowstack_now.at;
      shadowstack_hold_clock();
      shadowstack_pop();
      shadowstack_now.at = at;
      shadowstack_now.at.moved = 0;
      shadowstack_counters_moved();
      return;
   }
   region->low = low;
   Bool has_crossed = shadowstack_now.at.stub == NULL && resumes_same_function(new_sp);
   shadowstack_now.at.moved = new_sp;
   shadowstack_now.at.has_crossed = has_crossed;
   shadowstack_disable_fast_path();
}

/* Does `frame`, or one of the chain of tail calls that led to it, run `function`?  */
static Bool is_in_chain(const Frame* frame, Function* function)
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

/* Does the running code return as `frame` does?  Then it is part of the same activation,
   though of another function: a part that the compiler has put elsewhere, perhaps.  */
static Bool returns_as(const Frame* frame)
{
   Addr slot, return_address;
   return !(frame->flags & FrameBarrier) && seed_caller(&slot, &return_address) &&
          slot == frame->sp && return_address == shadowstack_return_address(frame);
}

/* Is control at the start of a function?  No unwinding leads there.  (Where nameless code
   starts is not known.)  */
static Bool is_surely_at_start(const Block* block)
{
   return !block->function->is_unbounded &&
          address_is_start(block->function, block->address);
}

static Bool is_unwinding(const Block* block, Addr sp)
{
   const ShadowStack* stack = shadowstack_now.stack;
   if (!shadowstack_holds(stack, sp))
      return False;
   const Frame* frame = shadowstack_first_not_left(stack, sp);
   if (block->function->is_unbounded)
      return True; /* whose code it is is not known: most likely */
   return (!is_surely_at_start(block) && is_in_chain(frame, block->function)) ||
          returns_as(frame);
}

/* Control has come to `block` with the stack pointer at `sp`: does the function go on that
   lies there in a parked region?  None goes on at its start.  */
static Bool goes_on(ParkedRegion parked, const Block* block, Addr sp)
{
   return parked.stack != NULL && !is_surely_at_start(block) &&
          is_in_chain(shadowstack_first_not_left_in(parked.stack, parked.region, sp),
                      block->function);
}

CoroutineArrival coroutine_arrive(const Block* block, Bool by_call, Addr sp)
{
   Addr moved = shadowstack_now.at.moved;
   Bool has_crossed = shadowstack_now.at.has_crossed;
   shadowstack_now.at.moved = 0;
   if (by_call) {
      /* The push of the return address may be part of the move.  */
      Addr behind = shadowstack_sp_after(sp);
      if (!has_crossed && shadowstack_now.top->context != NULL) {
         shadowstack_push_stack_switch(moved > behind ? moved : behind);
         parking_note_new(shadowstack_now.stack);
      }
      return CoroutineHere;
   }
   if (is_unwinding(block, sp))
      return CoroutineHere;

   ParkedRegion parked = parking_find(sp);
   if (goes_on(parked, block, sp)) {
      cross_to(parked);
      return CoroutineHere;
   }
   ParkedRegion above = parking_find_above(sp);
   if (goes_on(above, block, sp)) {
      cross_to(above);
      return CoroutineHere;
   }
   /* A stack that begins where the parked one ends has taken its memory over.  Otherwise
      it lies inside, in a local array perhaps.  */
   Addr end = (sp > moved ? sp : moved) + ABOVE_FIRST_SLOT;
   if (parked.stack != NULL && end >= parked.stack->regions[parked.region].end)
      cross_to_memory_of(parked, end);
   else
      cross_to_new(end);
   if (address_is_start(block->function, block->address))
      return CoroutineRoot;
   shadowstack_count_repair(RepairReseeded);
   seed_running_thread();
   return CoroutineSeeded;
}

Bool coroutine_return(Addr target, Addr sp)
{
   ParkedRegion parked = parking_find_return(target, sp);
   if (parked.stack == NULL)
      return False;
   cross_to(parked);
   return True;
}
