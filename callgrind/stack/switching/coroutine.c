/* SPDX-License-Identifier: GPL-2.0-or-later

   Coroutines; see coroutine.h.  */

#include "stack/switching/coroutine.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/memory.h"
#include "model/block.h"
#include "stack/entering/seed.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_repairs.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/tail_chain.h"
#include "stack/stacks/moved_slots.h"
#include "stack/stacks/moved_stack.h"
#include "stack/stacks/native_frames.h"
#include "stack/stacks/parking.h"
#include "stack/stacks/shadowstack.h"
#include "stack/stacks/switch_calls.h"
#include "stack/switching/copies.h"
#include "stack/switching/crossing.h"
#include "stack/threads/thread.h"

/* Where frames were written, so much from their end on is searched.  */
#define MOST_SEARCHED 4096

/* Does the program's memory hold the frames that a stack pointer of `sp` has not left?
   If not, the region may be a dead one, and its memory another's.  */
static Bool is_in_memory(ParkedRegion parked, Addr sp)
{
   return relocation_compare(
             parked.stack, parked.region,
             shadowstack_first_not_left_in(parked.stack, parked.region, sp), 0) >= 0;
}

static Bool is_running_in_memory(Addr sp)
{
   ShadowStack* stack = shadowstack_now.stack;
   ParkedRegion running = {stack, shadowstack_region_of(stack, sp)};
   return is_in_memory(running, sp) && !copies_are_overwritten(sp);
}

/* If `sp` is exactly where the same function left a parked stack, the thread goes on
   there.  (If another function left it, as `swapcontext` may leave what `setcontext`
   resumes, the function goes on where it is until control leaves it, since its code
   is its cost.)  */
static Bool resumes_same_function(Addr sp)
{
   ParkedRegion parked = parking_find_left_at(sp);
   if (parked.stack == NULL)
      return False;
   const Frame* top = shadowstack_region_top(parked.stack, parked.region);
   if (top->slot < arch_slot(sp) || /* left elsewhere: it was cut off (parking.c) */
       shadowstack_function(top) != shadowstack_function(shadowstack_now.top) ||
       relocation_likeness_here(&parked.stack->regions[parked.region]) <
          RELOCATION_NEARLY_SAME ||
       !is_in_memory(parked, sp))
      return False;
   crossing_to(parked);
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
   return sp + sizeof(Addr) >= lower->low &&
          arch_slot(sp) <= shadowstack_below(top)->slot;
}

void coroutine_sp_loaded(Addr new_sp, Addr old_sp)
{
   StackRegion* region = shadowstack_region(shadowstack_now.stack);
   copies_forget_noted();
   Bool was_moved = shadowstack_now.at.moved != 0;
   Addr low = was_moved ? region->low : old_sp;
   if (!was_moved && old_sp > shadowstack_now.top->slot && !copies_are_possible())
      (void)moved_slots_follow(new_sp > old_sp ? new_sp : old_sp);
   Bool is_own_frame = new_sp >= low && arch_slot(new_sp) <= shadowstack_now.top->slot &&
                       new_sp <= region->end &&
                       !(shadowstack_now.top->flags & FrameCallerGone);
   if (is_own_frame && parking_find(new_sp).stack == NULL &&
       !(copies_are_known() && parking_is_left_at(new_sp))) {
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
   if (copies_are_possible())
      switch_calls_expect(shadowstack_function(shadowstack_now.top));
   if (!was_moved)
      relocation_remember(shadowstack_now.stack, low);
   Bool has_crossed = shadowstack_now.at.stub == NULL && !copies_are_known() &&
                      resumes_same_function(new_sp);
   shadowstack_now.at.moved = new_sp;
   shadowstack_now.at.move_state = has_crossed ? MoveHasCrossed : MoveOpen;
   shadowstack_disable_fast_path();
}

void coroutine_sp_added(Addr new_sp, Addr old_sp)
{
   if (new_sp < old_sp && !parking_is_left_at(new_sp))
      copies_note_down(new_sp, old_sp);
   else
      coroutine_sp_loaded(new_sp, old_sp);
}

/* Does the running code return as `frame` does?  Then it is part of the same activation,
   though of another function: a part that the compiler has put elsewhere, perhaps.  */
static Bool returns_as(const Frame* frame)
{
   Addr slot, return_address;
   return !(frame->flags & FrameBarrier) && seed_caller(&slot, &return_address) &&
          slot == frame->slot && return_address == shadowstack_return_address(frame);
}

/* The frames that control may be in if the stack pointer is at `sp`: from the topmost one
   whose slot is right there, which may jump or have been left, down to the first that
   surely has not been.  Where a call pushes, they are the same.  */
typedef struct {
   const Frame* first;
   const Frame* last;
} FramesAt;

static FramesAt frames_at(ParkedRegion at, Addr sp)
{
   return (FramesAt){.first =
                        shadowstack_first_not_left_in(at.stack, at.region, arch_slot(sp)),
                     .last = shadowstack_first_not_left_in(at.stack, at.region, sp)};
}

/* Does a frame of this region run `function`, in a chain of tail calls perhaps, that
   has not been left if the stack pointer is at `sp`?  */
static Bool may_run_at(ParkedRegion at, Function* function, Addr sp)
{
   const FramesAt frames = frames_at(at, sp);
   const Frame* frame = frames.first;
   while (frame != frames.last && !tail_chain_runs(frame, function))
      frame = shadowstack_below(frame);
   return tail_chain_runs(frame, function);
}

/* Does the running code return as a frame of this region does that has not been left if
   the stack pointer is at `sp`?  */
static Bool may_return_at(ParkedRegion at, Addr sp)
{
   const FramesAt frames = frames_at(at, sp);
   const Frame* frame = frames.first;
   while (frame != frames.last && !returns_as(frame))
      frame = shadowstack_below(frame);
   return returns_as(frame);
}

static Bool is_unwinding(const Block* block, Addr sp)
{
   ShadowStack* stack = shadowstack_now.stack;
   if (!shadowstack_holds(stack, sp))
      return False;
   if (block->function->is_unbounded)
      return True; /* whose code it is is not known: most likely */
   ParkedRegion at = {stack, shadowstack_region_of(stack, sp)};
   return (!block_is_surely_at_start(block) && may_run_at(at, block->function, sp)) ||
          may_return_at(at, sp);
}

/* Where stacks are copied, the memory of one that was left may be another's.  */
static Bool may_lie_there(ParkedRegion at, const Frame* frame)
{
   return !copies_are_known() || native_frames_tell(at.stack, at.region, frame) != 0;
}

/* Control has come to `block` with the stack pointer at `sp`: does the function go on
   that lies there in a parked region?  None goes on at its start.  */
static Bool goes_on(ParkedRegion parked, const Block* block, Addr sp)
{
   if (parked.stack == NULL || block_is_surely_at_start(block))
      return False;
   const Frame* frame = shadowstack_first_not_left_in(parked.stack, parked.region, sp);
   return may_run_at(parked, block->function, sp) && may_lie_there(parked, frame);
}

/* Has a function gone on in this region, and called from there?  */
static Bool begins_with_switch(const ShadowStack* stack, UInt region)
{
   UInt depth = stack->regions[region].depth;
   return (shadowstack_at_depth(stack, depth)->flags & FrameStackSwitch) != 0;
}

/* Control has come to a lower region of the running stack, to where a frame there has
   called on another stack: a function has taken its place, or its caller goes on.  The
   frames above may be a coroutine's that has yielded.  */
static void park_yielding(Bool is_at_start, Addr sp)
{
   ShadowStack* stack = shadowstack_now.stack;
   ParkedRegion at = {stack, shadowstack_region_of(stack, sp)};
   const Frame* top = shadowstack_region_top(stack, at.region);
   if (is_at_start || shadowstack_sp_after(top->slot) == sp)
      crossing_park_above(at);
}

/* The stack on which control, at the start of a function, has taken the place of the
   frame that left it: it has the same return address, in the same slot.  The stack
   pointer was loaded with where it was left, and what had been pushed there may have been
   popped since.  NULL: none.  */
static ParkedRegion replaced_at(const Block* block, Addr sp, Addr moved)
{
   ParkedRegion parked = parking_find_left_at(moved != 0 ? moved : sp);
   if (parked.stack == NULL || !block_is_surely_at_start(block))
      return NO_REGION;
   const Frame* top = shadowstack_region_top(parked.stack, parked.region);
   Addr slot = arch_slot(sp), return_address;
   Bool is_in_place = top->slot == slot &&
                      !(top->flags & (FrameBarrier | FrameStackSwitch | FrameRoot)) &&
                      arch_return_address(slot, &return_address) &&
                      return_address == shadowstack_return_address(top);
   return is_in_place ? parked : NO_REGION;
}

/* What is looked for among stacks that may have moved.  */
static struct {
   Arrival at;
   ParkedRegion found; /* the most alike, parked or running */
   UInt likeness;
   Word delta; /* how far up it lies */
} move_search;

static void compare_moved(ParkedRegion known)
{
   Word delta = 0;
   UInt likeness =
      relocation_likeness(known.stack, known.region, &move_search.at, &delta);
   if (likeness > move_search.likeness) {
      move_search.found = known;
      move_search.likeness = likeness;
      move_search.delta = delta;
   }
}

/* Compares the running stack with what lies where control is.  */
static void compare_running(Arrival at)
{
   const ShadowStack* stack = shadowstack_now.stack;
   move_search.at = at;
   move_search.likeness = 0;
   UInt region = stack->n_regions;
   do
      compare_moved((ParkedRegion){shadowstack_now.stack, --region});
   while (begins_with_switch(stack, region));
}

/* To look for a moved stack takes as long as there are parked ones.  A program may begin
   coroutines, or run many that nobody has seen begin, without moving any: so it may take
   so many comparisons, and with each search some more.  */
#define COMPARISONS_AT_FIRST (1u << 20)
#define COMPARISONS_MORE 128
static UInt comparisons_left = COMPARISONS_AT_FIRST;

/* If the running stack or a parked one has been moved to where control is, goes on
   there.  */
static Bool follow_moved(Arrival at)
{
   compare_running(at);
   comparisons_left -= parking_for_each_region(compare_moved, comparisons_left);
   comparisons_left += COMPARISONS_MORE;
   if (move_search.likeness == 0)
      return False;
   const ParkedRegion found = move_search.found;
   if (found.stack != shadowstack_now.stack)
      crossing_to(found);
   relocation_move(found.stack, found.region, move_search.delta);
   return True;
}

/* Is `at` where the function went away that lies there, or that it called?  Otherwise it
   has been unwound to there, by longjmp() perhaps; or this is another stack.  */
static Bool is_where_left(ParkedRegion parked, const Arrival* at)
{
   const Frame* top = shadowstack_region_top(parked.stack, parked.region);
   const Frame* frame =
      shadowstack_first_not_left_in(parked.stack, parked.region, at->sp);
   return frame == top ||
          shadowstack_return_address(shadowstack_above(frame)) == at->target;
}

/* Control comes to where `parked` lies: is that what goes on, and no copy of another
   stack?  */
static Bool is_as_left(ParkedRegion parked, Arrival at)
{
   if (!is_where_left(parked, &at))
      return False;
   const Frame* top = shadowstack_region_top(parked.stack, parked.region);
   UInt here = relocation_likeness_here(&parked.stack->regions[parked.region]);
   if (at.sp > shadowstack_sp_after(top->slot) || here < RELOCATION_NEARLY_SAME ||
       !is_in_memory(parked, at.sp))
      return False;
   if (here == RELOCATION_SAME)
      return True;
   compare_running(at);
   return move_search.likeness <= here;
}

/* `moved`: with what the stack pointer was loaded; 0: it was not.  */
static Arrival arrival_at(Addr target, const Function* function, Addr sp, Addr moved)
{
   return (Arrival){target, function, sp, moved != 0 && moved < sp ? moved : sp};
}

/* Do the `n` bytes from `start` on, MOST_SEARCHED at most, hold the word `value`?  */
static Bool holds_word(Addr start, SizeT n, Addr value)
{
   Addr words[MOST_SEARCHED / sizeof(Addr)];
   if (!guest_memory_copy(words, start, n))
      return False;
   for (SizeT i = 0; i < n / sizeof *words; i++)
      if (words[i] == value)
         return True;
   return False;
}

/* Is `moved`, with which the stack pointer was loaded, no lower than it was before?  */
static Bool has_moved_up(Addr moved)
{
   const StackRegion* region = shadowstack_region(shadowstack_now.stack);
   return moved >= region->low && moved <= region->end;
}

/* The stack pointer was loaded with `moved`, and is `sp` now.  Frames below `moved` have
   been replaced by others if the outermost of them lies in what has been pushed since,
   or if what has been pushed returns as it did.  (The memory of a new coroutine may lie
   among the running stack's frames, too, but not on a frame that goes on later.)  Returns
   the frame below those that were replaced; NULL if none were.  */
static Frame* below_replaced_frames(Addr moved, Addr sp)
{
   if (sp >= moved || !has_moved_up(moved))
      return NULL;
   Frame* below = shadowstack_now.top;
   const Frame* outermost = NULL;
   while ((below->slot < moved || below->flags & FrameCallerGone) &&
          !(below->flags & (FrameBarrier | FrameStackSwitch))) {
      outermost = below;
      below = shadowstack_below(below);
   }
   if (outermost == NULL || below->context == NULL)
      return NULL;
   SizeT n = (moved - sp) & ~(sizeof(Addr) - 1);
   if (n > MOST_SEARCHED)
      n = MOST_SEARCHED;
   if (outermost->slot >= sp ||
       holds_word(moved - n, n, shadowstack_return_address(outermost)))
      return below;
   return NULL;
}

/* Nothing is known of the stack that control is on.  */
static CoroutineArrival seed_unknown(void)
{
   shadowstack_count_repair(RepairReseeded);
   seed_running_thread();
   return CoroutineSeeded;
}

/* The running function has called with the stack pointer moved.  */
static void call_elsewhere(Addr moved, Addr sp)
{
   const Frame* top = shadowstack_now.top;
   if (top->context == NULL || (top->flags & FrameCallerGone && has_moved_up(moved)))
      return;
   /* The push of the return address may be part of the move.  */
   Addr behind = shadowstack_sp_after(arch_slot(sp));
   if (has_moved_up(moved) && !copies_are_possible() && moved_slots_follow(behind)) {
      shadowstack_region(shadowstack_now.stack)->low = 0; /* in its own frame */
      return;
   }
   shadowstack_push_stack_switch(moved > behind ? moved : behind);
   parking_note_new(shadowstack_now.stack);
}

/*--------------------------------------------------------------------*/
/* Arriving: a list of decisions, of which the first that fits decides     */

/* Control has come to `block`, with the stack pointer at `sp`; it was moved before, with
   `moved`.  */
typedef struct {
   const Block* block;
   Addr sp, moved;
   UChar move; /* shadowstack_now.at.move_state */
   Bool by_call;
   Bool at_is_known;
   Arrival at; /* read through arrival_of() */
} Arriving;

static Arrival arrival_of(Arriving* a)
{
   if (!a->at_is_known)
      a->at = arrival_at(a->block->address, a->block->function, a->sp, a->moved);
   a->at_is_known = True;
   return a->at;
}

static Bool comes_to_written_frames(Arriving* a, CoroutineArrival* arrival)
{
   *arrival = CoroutineWritten;
   return a->move == MoveToWritten;
}

static Bool comes_to_replaced_frames(Arriving* a, CoroutineArrival* arrival)
{
   const Frame* below = a->move == MoveHasCrossed || a->by_call
                           ? NULL
                           : below_replaced_frames(a->moved, a->sp);
   if (below == NULL)
      return False;
   shadowstack_book_stub();
   while (shadowstack_now.top != below)
      shadowstack_pop();
   *arrival = CoroutineWritten;
   return True;
}

static Bool comes_by_call(Arriving* a, CoroutineArrival* arrival)
{
   if (a->by_call && a->move != MoveHasCrossed)
      call_elsewhere(a->moved, a->sp);
   *arrival = CoroutineHere;
   return a->by_call;
}

static Bool comes_to_copies(Arriving* a, CoroutineArrival* arrival)
{
   *arrival = CoroutineHere;
   return copies_arrive(a->block, a->sp, a->moved);
}

/* What lies there may be another stack's, copied to where this one was.  */
static Bool comes_by_unwinding(Arriving* a, CoroutineArrival* arrival)
{
   *arrival = CoroutineHere;
   const Arrival at = arrival_of(a);
   if (!is_unwinding(a->block, a->sp))
      return False;
   Bool is_at_start = block_is_surely_at_start(a->block);
   Bool is_here = is_at_start || is_running_in_memory(a->sp);
   if (is_here)
      park_yielding(is_at_start, a->sp);
   if (is_here || follow_moved(at) || !copies_are_overwritten(a->sp))
      return True;
   copies_become_known();
   return False;
}

static Bool comes_to_parked_that_moved(Arriving* a, CoroutineArrival* arrival)
{
   ParkedRegion replaced = replaced_at(a->block, a->sp, a->moved);
   *arrival = CoroutineHere;
   if (replaced.stack != NULL)
      crossing_to(replaced);
   return replaced.stack != NULL;
}

static Bool goes_on_where_it_moved(Arriving* a, CoroutineArrival* arrival)
{
   const Arrival at = arrival_of(a);
   ParkedRegion parked = parking_find(a->sp);
   *arrival = CoroutineHere;
   return !block_is_surely_at_start(a->block) &&
          (!goes_on(parked, a->block, a->sp) || !is_as_left(parked, at)) &&
          follow_moved(at);
}

static Bool goes_on_on_parked(Arriving* a, CoroutineArrival* arrival)
{
   ParkedRegion parked = parking_find(a->sp);
   if (!goes_on(parked, a->block, a->sp))
      parked = parking_find_above(a->sp);
   if (!goes_on(parked, a->block, a->sp))
      return False;
   crossing_to(parked);
   *arrival = CoroutineHere;
   return True;
}

/* A stack that begins where the parked one ends has taken its memory over.  Otherwise it
   lies inside, in a local array perhaps.  */
static Bool comes_to_new_stack(Arriving* a, CoroutineArrival* arrival)
{
   ParkedRegion parked = parking_find(a->sp);
   Addr end = (a->sp > a->moved ? a->sp : a->moved) + CROSSING_ABOVE_FIRST_SLOT;
   if (parked.stack != NULL && end >= parked.stack->regions[parked.region].end)
      parking_drop(parked);
   crossing_to_new(end);
   *arrival = address_is_start(a->block->function, a->block->address) ? CoroutineRoot
                                                                      : seed_unknown();
   return True;
}

/* Each does nothing and returns False if it does not fit.  The last one always fits.  */
typedef Bool Decision(Arriving* a, CoroutineArrival* arrival);
static Decision* const decisions[] = {
   comes_to_written_frames,    /* the program wrote frames and jumped to them */
   comes_to_replaced_frames,   /* it wrote them over those that ran */
   comes_by_call,              /* it called with the stack pointer moved */
   comes_to_copies,            /* it copied a stack here */
   comes_by_unwinding,         /* up its own stack */
   comes_to_parked_that_moved, /* a parked stack now lies where this one does */
   goes_on_where_it_moved,     /* the running function, on its new stack */
   goes_on_on_parked,          /* a coroutine that yielded */
   comes_to_new_stack,
};

CoroutineArrival coroutine_arrive(const Block* block, Bool by_call, Addr sp)
{
   native_frames_at(block->address, sp);
   Arriving a = {.block = block,
                 .sp = sp,
                 .moved = shadowstack_now.at.moved,
                 .move = shadowstack_now.at.move_state,
                 .by_call = by_call};
   CoroutineArrival arrival = CoroutineHere;
   shadowstack_now.at.moved = 0;
   for (UInt i = 0; i < sizeof decisions / sizeof decisions[0]; i++)
      if (decisions[i](&a, &arrival))
         break;
   return arrival;
}

/* An unwinder of exceptions may reach the frame of the handler by adding to the stack
   pointer (arm64's do), which nobody sees.  If that frame lies below a stack switch
   frame, at a lower address than what runs now, the topmost region seems to hold it,
   too.  The function that control comes to tells.  */
static void unwind_across_switches(const Block* block, Addr sp)
{
   const ShadowStack* stack = shadowstack_now.stack;
   ParkedRegion at = {shadowstack_now.stack, stack->n_regions - 1};
   if (!begins_with_switch(stack, at.region) || may_run_at(at, block->function, sp))
      return;
   do {
      const StackRegion* lower = &stack->regions[--at.region];
      if (sp >= lower->low && sp <= lower->end && may_run_at(at, block->function, sp)) {
         while (stack->n_regions > at.region + 1)
            shadowstack_pop();
         return;
      }
   } while (begins_with_switch(stack, at.region));
}

CoroutineArrival coroutine_arrive_unseen(const Block* block, Addr sp)
{
   native_frames_at(block->address, sp);
   Addr moved = crossing_moved();
   if (copies_arrive(block, sp, moved) || block_is_surely_at_start(block))
      return CoroutineHere;
   unwind_across_switches(block, sp);
   if (!copies_are_elsewhere(block, sp, moved))
      return CoroutineHere;
   copies_become_known();
   crossing_to_new(sp + CROSSING_ABOVE_FIRST_SLOT);
   return seed_unknown();
}

Bool coroutine_return(Addr target, Addr sp, Bool is_known)
{
   Addr crossed = copies_are_possible() ? crossing_moved() : shadowstack_now.at.moved;
   if (is_known && crossed == 0 && copies_moved(sp) == 0)
      return False;
   Bool is_here = is_known && is_running_in_memory(sp);
   if (is_here && crossed == 0)
      return False; /* nothing else has been left there */
   if (copies_return(target, sp))
      return True;
   Bool moved = shadowstack_now.at.moved != 0;
   if (is_here) {
      if (moved)
         park_yielding(False, sp);
      return False;
   }
   const Arrival at = arrival_at(target, NULL, sp, shadowstack_now.at.moved);
   const ShadowStack* stack = shadowstack_now.stack;
   ParkedRegion parked = parking_find_return(target, sp);
   if (parked.stack != NULL &&
       !may_lie_there(parked, shadowstack_below(shadowstack_find_return_in(
                                 parked.stack, parked.region, target, sp))))
      return False; /* nor does that one's */
   if (parked.stack == NULL && moved)
      return False; /* coroutine_arrive() knows more: a new stack may begin there */
   if ((parked.stack == NULL || !is_as_left(parked, at)) &&
       (moved || begins_with_switch(stack, stack->n_regions - 1)) && follow_moved(at))
      return True;
   if (parked.stack == NULL)
      return False;
   crossing_to(parked);
   return True;
}
