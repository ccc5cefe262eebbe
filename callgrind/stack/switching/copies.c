/* SPDX-License-Identifier: GPL-2.0-or-later

   Stacks that share one place; see copies.h.  */

#include "stack/switching/copies.h"

#include "guest/arch.h"
#include "model/block.h"
#include "options/options.h"
#include "stack/entering/entry.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/tail_chain.h"
#include "stack/stacks/moved_stack.h"
#include "stack/stacks/native_frames.h"
#include "stack/stacks/shadowstack.h"
#include "stack/stacks/switch_calls.h"
#include "stack/switching/crossing.h"

/* Before it is known that stacks are copied: farther than any stack is large.  */
#define FARTHEST_AT_FIRST ((UWord)1 << (8 * sizeof(UWord) - 18))
UWord copies_farthest = FARTHEST_AT_FIRST;

/* Where copies_note_down() was told that the stack pointer went.  */
static Addr noted;

/* A stack pointer goes on so near to where it was left: a few registers are read.  */
#define MOST_POPPED 128

/* Of a stack that was left here, so many words are as they were: registers, of which
   arm64 saves twice as many, and the frame of who has called the function that copies.
   What lies above may be shared.  */
#define LEAST_RUN (ARCH_CALL_PUSHES ? 14 : 20)

/* As LEAST_RUN, where a function that switches was called: it has saved no registers
   yet.  */
#define LEAST_RUN_OF_CALLER 6

/* A runtime that replaces its own frames, as V8 does, looks the same.  So it has to be
   known that stacks are copied: by who does it, or from the user.  */
Bool copies_are_possible(void)
{
   return options.copied_stacks == CopiedStacksYes ||
          (options.copied_stacks == CopiedStacksAuto && symbols_stacks_may_be_copied());
}

Bool copies_are_known(void)
{
   return copies_farthest != FARTHEST_AT_FIRST && copies_are_possible();
}

void copies_become_known(void) { copies_farthest = ~(UWord)0; }

void copies_forget_noted(void) { noted = 0; }

/* A flagged frame is none that a fast return leaves.  */
static void flag(Frame* frame, FrameFlags flags)
{
   frame->return_address = shadowstack_return_address(frame);
   frame->flags |= flags;
}

void copies_note_down(Addr new_sp, Addr old_sp)
{
   noted = new_sp;
   if (!(shadowstack_now.top->flags & FrameBarrier))
      flag(shadowstack_now.top, FrameLowered);
   relocation_remember(shadowstack_now.stack, old_sp);
}

/* What is looked for, and the best that has been found.  */
typedef struct {
   ParkedRegion at;  /* its stack is NULL: none */
   Frame* frame;     /* in which control is */
   UInt likeness;    /* how much of what was remembered lies there */
   UInt matched;     /* so many frames have their return addresses in memory */
   UInt n_missing;   /* so many frames lie above it in memory that it has not */
   Bool is_unwound;  /* the unwinder finds that frame, too */
   Bool is_divided;  /* its function goes on in another stack already */
   SwitchCall* call; /* by which it may have been left; NULL: not known */
} Found;
static struct {
   Addr target;
   const Block* block; /* NULL: a return */
   Addr sp;
   Addr left_at; /* where it was left */
   Found found;
} copy_search;

/* When a thread was on this stack last.  */
static ULong ran_last(const ShadowStack* stack)
{
   return stack == shadowstack_now.stack ? ~(ULong)0 : stack->parked;
}

static Bool is_better(const Found* found, const Found* than)
{
   if (found->likeness != than->likeness)
      return found->likeness > than->likeness;
   if (found->is_unwound != than->is_unwound)
      return found->is_unwound;
   if (found->n_missing != than->n_missing)
      return found->n_missing < than->n_missing;
   if (found->matched != than->matched)
      return found->matched > than->matched;
   if (found->is_divided != than->is_divided)
      return !found->is_divided;
   return ran_last(found->at.stack) > ran_last(than->at.stack); /* others may be dead */
}

static void offer(const Found* found)
{
   if (copy_search.found.at.stack == NULL || is_better(found, &copy_search.found))
      copy_search.found = *found;
}

/*--------------------------------------------------------------------*/
/* Stacks that were left here                                          */

/* The frame that goes on if control is on this stack; NULL if it cannot be.  */
static Frame* frame_of_control(ParkedRegion at)
{
   if (copy_search.block == NULL) {
      Frame* left = shadowstack_find_return_in(at.stack, at.region, copy_search.target,
                                               copy_search.sp);
      return left != NULL ? shadowstack_below(left) : NULL;
   }
   Frame* frame = shadowstack_first_not_left_in(at.stack, at.region, copy_search.sp);
   return tail_chain_runs(frame, copy_search.block->function) ? frame : NULL;
}

/* How much of what was kept lies there: none if fewer than `least` words nearly do.  */
static UInt likeness_of(const StackWords* kept, UInt least)
{
   LikenessRun run = relocation_run(kept);
   return run.nearly >= least || run.nearly == kept->n ? run.words + run.nearly + 1 : 0;
}

static Found evaluate(ParkedRegion at)
{
   Found found = {.at = at, .frame = frame_of_control(at)};
   if (found.frame == NULL)
      return found;
   found.matched = native_frames_matches(at.stack, at.region, found.frame, 0);
   found.likeness = likeness_of(&at.stack->regions[at.region].kept, LEAST_RUN);
   return found;
}

/* Is this where the stack pointer has been moved to, less what was pushed at once?  */
static Bool is_near(Addr low)
{
   return low >= copy_search.left_at &&
          low - copy_search.left_at <= PARKING_PUSHED_AT_ONCE;
}

static void consider_left(ParkedRegion at)
{
   if (!is_near(at.stack->regions[at.region].low))
      return;
   Found found = evaluate(at);
   if (found.frame != NULL && found.matched > 0 && found.likeness > 0)
      offer(&found);
}

/* If a stack that was left where the stack pointer has been moved to fits better than the
   running one, goes on there.  */
static Bool follow_left(Addr left_at)
{
   ShadowStack* stack = shadowstack_now.stack;
   copy_search.left_at = left_at;
   copy_search.found.at.stack = NULL;
   parking_for_each_at(copy_search.sp, consider_left);
   if (copy_search.found.at.stack == NULL)
      return False;
   ParkedRegion running = {stack, shadowstack_region_of(stack, copy_search.sp)};
   if (is_near(stack->regions[running.region].kept.low)) {
      Found mine = evaluate(running);
      if (mine.frame != NULL && mine.matched > 0 && !is_better(&copy_search.found, &mine))
         return False;
   }
   copies_become_known();
   noted = 0;
   crossing_to(copy_search.found.at);
   return True;
}

/*--------------------------------------------------------------------*/
/* Stacks that are divided                                             */

/* Sets `frame`, `n_missing` and `matched` if control is above a frame of this region that
   lies in memory.  */
static Bool find_in(ParkedRegion at, Found* found)
{
   *found = (Found){.at = at};
   found->frame = shadowstack_first_not_left_in(at.stack, at.region, copy_search.sp);
   found->matched = native_frames_matches(at.stack, at.region, found->frame, 0);
   const NativeFrame* native;
   UInt n = native_frames(&native);
   if (found->matched > 0 && tail_chain_runs(found->frame, copy_search.block->function)) {
      /* A slot that only seems to be one may hold what was left there earlier.  */
      found->is_unwound = n > 0 && native->slot == found->frame->slot;
      return True;
   }
   for (UInt i = 0; i < n; i++, native++) {
      Frame* frame = native_frames_find(at.stack, at.region, native);
      if (frame == NULL || !tail_chain_runs(frame, native->function))
         continue;
      found->matched = native_frames_matches(at.stack, at.region, frame, i);
      if (found->matched > 0) {
         found->frame = frame;
         found->n_missing = i;
         found->is_unwound = True;
         return True;
      }
   }
   return False;
}

static void consider_divided(ParkedRegion at)
{
   Found found;
   if (!find_in(at, &found))
      return;
   found.is_divided = (found.frame->flags & FrameDivided) != 0;
   const NativeFrame* innermost;
   Bool has_missing = found.n_missing > 0 && native_frames(&innermost) > 0;
   Addr slot = has_missing ? innermost->slot : found.frame->slot;
   found.call = switch_calls_find(at.stack, copy_search.sp, shadowstack_sp_after(slot));
   if (found.call != NULL)
      found.likeness = likeness_of(&found.call->kept, LEAST_RUN_OF_CALLER);
   offer(&found);
}

static Bool is_not_there(ParkedRegion at, const Frame* frame)
{
   return native_frames_tell(at.stack, at.region, frame) == 0;
}

/* Has the outermost of the frames above `frame` been overwritten, before the stack
   pointer was moved to `moved`?  */
static Bool is_overwritten_above(ParkedRegion at, const Frame* frame, Addr moved)
{
   const Frame* top = shadowstack_region_top(at.stack, at.region);
   while (frame < top) {
      frame = shadowstack_above(frame);
      Int in_memory = relocation_is_live(at.stack, at.region, frame, moved);
      if (in_memory >= 0)
         return in_memory == 0;
   }
   return False;
}

/* Enters the native frames that lie in memory above those that are known.  They have been
   entered before, so they are no calls.  */
static void enter_missing(UInt n)
{
   const NativeFrame* frames;
   native_frames(&frames);
   while (n > 0) {
      const NativeFrame* native = &frames[--n];
      shadowstack_run_top(); /* makes room for new functions */
      entry_push_again(native->function, native->ip, native->slot,
                       native->return_address);
   }
}

/* Goes on in a copy of the frames up to the one that was found.  */
static void divide(void)
{
   Found found = copy_search.found;
   ShadowStack* stack = shadowstack_copy(found.at.stack, found.at.region, found.frame);
   /* A switch returns twice: in the new coroutine, and once more where a copy goes on.
      So of two stacks that are alike, the one goes on that has not done so.  */
   flag(found.frame, FrameDivided);
   if (found.call != NULL)
      found.call->has_gone_on = True;
   copies_become_known();
   noted = 0;
   crossing_to_made(stack);
   enter_missing(found.n_missing);
   shadowstack_run_top();
}

/* If control is on a stack that has been divided, or is to be, goes on there.  */
static Bool follow_divided(Addr moved)
{
   Bool is_suspect = moved != 0;
   ShadowStack* stack = shadowstack_now.stack;
   copy_search.found.at.stack = NULL;
   if (shadowstack_holds(stack, copy_search.sp)) {
      ParkedRegion running = {stack, shadowstack_region_of(stack, copy_search.sp)};
      const Frame* frame =
         shadowstack_first_not_left_in(stack, running.region, copy_search.sp);
      Bool is_overwritten =
         is_overwritten_above(running, frame, moved) || is_not_there(running, frame);
      if (!is_overwritten && !(is_suspect && copies_are_known()))
         return False;
      consider_divided(running);
      if (!is_overwritten && copy_search.found.at.stack != NULL &&
          copy_search.found.n_missing == 0)
         return False;
   } else if (!is_suspect || !copies_are_known())
      return False;
   parking_for_each_at(copy_search.sp, consider_divided);
   if (copy_search.found.at.stack == NULL)
      return False;
   divide();
   return True;
}

/*--------------------------------------------------------------------*/

/* Where the stack pointer was moved to, `moved` or what was noted, if control may be
   there; otherwise 0.  */
static Addr moved_to(Addr sp, Addr moved)
{
   return moved == 0 && noted != 0 && noted <= sp && sp - noted <= MOST_POPPED ? noted
                                                                               : moved;
}

Addr copies_moved(Addr sp)
{
   if (!copies_are_possible())
      return 0;
   Addr moved = crossing_moved();
   return shadowstack_now.top->flags & FrameLowered ? moved_to(sp, moved) : moved;
}

Bool copies_return(Addr target, Addr sp)
{
   Addr moved = moved_to(sp, crossing_moved());
   if (moved == 0 || !copies_are_possible())
      return False;
   copy_search.target = target;
   copy_search.block = NULL;
   copy_search.sp = sp;
   return follow_left(moved);
}

Bool copies_arrive(const Block* block, Addr sp, Addr moved)
{
   if (!copies_are_possible() || block_is_surely_at_start(block))
      return False;
   moved = moved_to(sp, moved);
   copy_search.target = block->address;
   copy_search.block = block;
   copy_search.sp = sp;
   return (moved != 0 && follow_left(moved)) || follow_divided(moved);
}

Bool copies_are_overwritten(Addr sp)
{
   ParkedRegion running = {shadowstack_now.stack,
                           shadowstack_region_of(shadowstack_now.stack, sp)};
   return copies_are_possible() &&
          is_not_there(running, shadowstack_first_not_left(running.stack, sp));
}

Bool copies_have_overwritten(Addr sp)
{
   if (!copies_are_possible())
      return False;
   ParkedRegion running = {shadowstack_now.stack,
                           shadowstack_region_of(shadowstack_now.stack, sp)};
   const Frame* frame = shadowstack_first_not_left_in(running.stack, running.region, sp);
   return is_overwritten_above(running, frame, crossing_moved()) ||
          is_not_there(running, frame);
}

Bool copies_are_elsewhere(const Block* block, Addr sp, Addr moved)
{
   if (!copies_are_possible())
      return False;
   if (moved != 0)
      return !shadowstack_holds(shadowstack_now.stack, sp) || copies_have_overwritten(sp);
   if (!copies_are_known())
      return False;
   const Frame* frame = shadowstack_first_not_left(shadowstack_now.stack, sp);
   return copies_are_overwritten(sp) ||
          (moved_to(sp, moved) != 0 && !tail_chain_runs(frame, block->function));
}
