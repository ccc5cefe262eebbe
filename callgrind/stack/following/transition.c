/* SPDX-License-Identifier: GPL-2.0-or-later

   Call, return, jump, unwinding; see transition.h.  Relies on entry.c to enter functions,
   on flat_jumps.c for --tail-calls=flat, and on shadowstack_frames.c to leave frames.

   A call through a PLT stub stays under way until it comes to a function that is
   shown.  The stub gets no frame; its cost is booked at the call site.  */

#include "stack/following/transition.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/jit/jit_functions.h"
#include "model/arc_targets.h"
#include "model/block.h"
#include "options/options.h"
#include "stack/entering/entry.h"
#include "stack/entering/flat_jumps.h"
#include "stack/entering/seed.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/tail_chain.h"
#include "stack/frames/transition_check.h"
#include "stack/stacks/moved_slots.h"
#include "stack/stacks/native_frames.h"
#include "stack/switching/copies.h"
#include "stack/switching/coroutine.h"
#include "stack/switching/crossing.h"

#include "pub_tool_aspacemgr.h"

/* The call from `site` has come to a stub.  */
static void arrive_at_stub(Block* block, CallSite* site, Addr slot)
{
   if (shadowstack_now.at.stub != NULL)
      return; /* the same stub's next superblock */
   const Frame* top = shadowstack_now.top;
   Arc* arc = arc_get(top->context, site, NULL, NULL);
   site->stub_arc = arc;
   arc_remember_stub(arc, block);
   shadowstack_now.at.stub = arc;
   shadowstack_now.at.stub_slot = slot;
   cost_copy(shadowstack_now.at.stub_clock, cost_clock);
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.limit = NULL;
}

/* The slot of `block`'s function when control is at its start.  */
static Addr slot_at_start(const Block* block, Addr sp)
{
   /* The PLT has pushed two words for a resolver.  */
   return arch_slot(block->function->kind == FunctionResolver ? sp + 2 * sizeof(Addr)
                                                              : sp);
}

/* Does this frame run the function that `site` is in?  */
static Bool runs(const Frame* frame, const CallSite* site)
{
   Function* running = shadowstack_function(frame);
   return running != NULL && symbols_runs_as(running) == symbols_runs_as(site->function);
}

static Bool is_running(const CallSite* site) { return runs(shadowstack_now.top, site); }

/* A function whose own frame is dead may call all the same, if it has taken its return
   address off the stack: a deoptimiser takes off the frame of its caller, too, before it
   asks what shall stand there instead.  It goes on in the frame below the dead ones.  If
   control is in the function of that frame already, it has been unwound there.  */
static Bool goes_on_without_frame(Frame* below, const CallSite* site)
{
   const Frame* top = shadowstack_now.top;
   if (below == top || below->flags & FrameBarrier || !is_running(site) ||
       tail_chain_find(below, site->function) != NULL)
      return False;
   for (const Frame* frame = top; frame != below; frame = shadowstack_below(frame))
      if (frame->flags & FrameStackSwitch)
         return False;
   return True;
}

/* Is the frame dead, if a call from `site` is made to a function with this slot?  If it
   has that slot itself, it is, unless the call is its own, made without having taken room
   on the stack.  */
static Bool is_dead(const Frame* frame, const CallSite* site, Addr slot)
{
   if (ARCH_CALL_PUSHES || frame->slot != slot || frame->flags & FrameBarrier)
      return frame->slot <= slot;
   return !runs(frame, site);
}

/* May the program's memory say where slots have moved?  Where stacks are copied, another
   one's frames may lie there.  */
static Bool slots_may_move(void) { return !copies_are_possible(); }

/* Frames at or below the slot of what a call has led to are dead.  */
static void leave_dead_frames(const CallSite* site, Addr slot)
{
   Frame* below = shadowstack_now.top;
   if (UNLIKELY(is_dead(below, site, slot)) && is_running(site) && slots_may_move() &&
       moved_slots_follow(shadowstack_sp_after(slot)))
      return;
   while (is_dead(below, site, slot) && !(below->flags & FrameBarrier))
      below = shadowstack_below(below);
   if (LIKELY(!goes_on_without_frame(below, site))) {
      while (shadowstack_now.top != below)
         shadowstack_pop();
      return;
   }
   for (Frame* frame = shadowstack_now.top; frame != below;
        frame = shadowstack_below(frame)) {
      frame->return_address = shadowstack_return_address(below);
      frame->slot = below->slot;
      frame->flags |= FrameTail | FrameCallerGone;
   }
}

/* True if the call stays under way: it has come to a stub only.  */
static Bool arrive_by_call(Block* block, CallSite* site, Addr sp)
{
   Addr slot = shadowstack_now.at.stub != NULL ? shadowstack_now.at.stub_slot
                                               : slot_at_start(block, sp);
   leave_dead_frames(site, slot);
   if (block->function->kind == FunctionPlt &&
       !(shadowstack_now.top->flags & (FrameSkipped | FrameBarrier))) {
      arrive_at_stub(block, site, slot);
      return True;
   }
   shadowstack_book_stub();
   const Frame* top = shadowstack_now.top;
   if (top->context != NULL && !(top->flags & FrameSkipped) &&
       top->context->function == block->function &&
       !address_is_start(block->function, block->address))
      shadowstack_push(top->context, slot, site->return_address, FrameInner);
   else
      entry_push_call(block, site, slot, site->return_address, 0);
   return False;
}

/*--------------------------------------------------------------------*/
/* Jumps                                                               */

static void pop_down_to(const Frame* frame)
{
   while (shadowstack_now.top > frame)
      shadowstack_pop();
}

/* Is it skipped code, or a stub?  Such code runs on in other such code without a call
   here.  */
static Bool is_skipped(Function* function)
{
   return symbols_runs_as(function) != function;
}

/* Is control, which came by a jump, at the start of a function?  */
static Bool is_at_start(const Block* block)
{
   return jit_functions_may_start_at(block->function, block->address);
}

/* A jump back to a function in the chain of tail calls returns to its frame, so that a
   loop of such jumps does not grow the stack.  If it goes to the function's start, it is
   counted as a call all the same, from the jumping frame or its owner.  What it costs is
   part of the call that is still open.  */
static void go_back_to(Frame* found, const Block* block, CallSite* site)
{
   const Frame* top = shadowstack_now.top;
   if (!(found->flags & FrameSkipped) && !block->function->is_unbounded &&
       shadowstack_now.stack->is_collecting && is_at_start(block)) {
      Function* from = top->context->function;
      if (top->flags & FrameSkipped)
         site = top->skipped_site;
      else if (site == NULL || site->function != from)
         site = callsite_unknown(from);
      arc_to_block(top->context, site, found->context, block)->calls++;
      if (options.call_tree && found->node != NULL)
         found->node->calls++;
   }
   pop_down_to(found);
}

/* Calls among skipped functions make no frames.  So a jump from skipped code to the start
   of a shown function, deeper on the stack than the skipped frame was entered, is a tail
   call at the end of such a call.  */
static Bool is_call_of_skipped_code(const Block* block, const Frame* top, Addr sp)
{
   Addr slot = slot_at_start(block, sp), return_address;
   return top->flags & FrameSkipped && is_skipped(top->skipped_function) &&
          slot < top->slot && is_at_start(block) &&
          arch_return_address(slot, &return_address);
}

/* A thunk in a function's own code is called into its middle, and then returns to where
   the call shall go, or jumps there if nothing has to be pushed for that; perhaps to the
   start of the same function.  */
static Bool is_call_by_thunk(const Block* block, const CallSite* site)
{
   return shadowstack_now.top->flags & FrameInner && site != NULL &&
          (site->kind == SiteReturn || !ARCH_CALL_PUSHES) &&
          block_is_surely_at_start(block);
}

/* Moves the frames above `below`, which are one activation, up to this slot: there a
   jump, or a return instruction that was used as a jump, has left it.  */
static void raise_frames(Frame* below, Addr slot)
{
   for (Frame* frame = shadowstack_now.top; frame != below;
        frame = shadowstack_below(frame))
      frame->return_address = shadowstack_return_address(frame);
   moved_slots_set(shadowstack_now.top, below, slot);
   if (below->slot == slot)
      shadowstack_above(below)->flags |= FrameTail;
}

/* A function may take its arguments off the stack before it jumps on, and move its return
   address up.  Then its frame moves up, too: it has not been left.  */
static void raise_if_moved_up(const Block* block, Addr sp)
{
   const Frame* top = shadowstack_now.top;
   Addr slot = arch_slot(sp), return_address;
   if (top->flags & (FrameBarrier | FrameStackSwitch) || top->slot >= slot ||
       !arch_return_address(slot, &return_address) ||
       return_address != shadowstack_return_address(top) ||
       (!ARCH_CALL_PUSHES && !block_is_surely_at_start(block)))
      return; /* a register may hold it by chance where an exception is caught */
   Frame* below = shadowstack_first_not_left(shadowstack_now.stack, slot);
   if (below != top && shadowstack_above(below)->slot == top->slot)
      raise_frames(below, slot);
}

/* The running function may jump on from `site` above where its call was seen to put its
   return address.  If that lies higher up now, the function has not been left, unless it
   has jumped to that address, or into the middle of one that is below then.  */
static void follow_if_moved(const Block* block, const CallSite* site, Addr sp)
{
   const Frame* top = shadowstack_now.top;
   if (LIKELY(top->slot >= sp) || !is_running(site) || !slots_may_move() ||
       shadowstack_return_address(top) == block->address)
      return;
   Frame* below = shadowstack_first_not_left(shadowstack_now.stack, sp);
   if (block_is_surely_at_start(block) || tail_chain_find(below, block->function) == NULL)
      (void)moved_slots_follow(sp);
}

/* Enters the first function of a coroutine or of a signal handler: nobody called it.  */
static void arrive_at_root(Block* block, Addr sp)
{
   Addr slot = arch_slot(sp), return_address = 0;
   (void)arch_return_address(slot, &return_address);
   entry_push_call(block, NULL, slot, return_address, 0);
}

/* Is it the address of code?  */
static Bool is_code(Addr address)
{
   return VG_(am_is_valid_for_client)(address, 1, VKI_PROT_EXEC);
}

/* Where control's frame, which lies below `end`, keeps its return address.  If that
   cannot be known, it is said to lie at the end, and to hold nothing.  */
static Addr find_written_slot(const Block* block, Addr sp, Addr end, Addr* return_address)
{
   Addr slot = arch_slot(sp);
   if (address_is_start(block->function, block->address) && sp < end &&
       arch_return_address(slot, return_address) && is_code(*return_address))
      return slot;
   if (seed_caller(&slot, return_address) && slot >= sp && slot < end &&
       is_code(*return_address))
      return slot;
   *return_address = 0;
   return end - sizeof(Addr);
}

/* Control is in a frame that the program has written onto its stack, below `end`.  The
   topmost frame is its caller, as far as is known: those between have not been seen.  */
static void arrive_in_written(Block* block, Addr sp, Addr end)
{
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameSkipped && is_skipped(top->skipped_function) &&
       is_skipped(block->function))
      return; /* from skipped code to skipped code */
   Addr return_address;
   Addr slot = find_written_slot(block, sp, end, &return_address);
   entry_push_call(block, NULL, slot, return_address, FrameSynthesised);
   if (!(shadowstack_now.top->flags & FrameSkipped))
      shadowstack_now.top->written_end = end;
}

/* The frame that control returned from was written, and those that were written with it
   up to `end` have not been left: it comes to the next of them.  */
static void expect_written(Addr end)
{
   shadowstack_now.at.moved = end;
   shadowstack_now.at.move_state = MoveToWritten;
   shadowstack_now.at.current = 0;
   shadowstack_disable_fast_path();
}

/* Up to where there are other frames that were written with `frame`; 0: it was not.  */
static Addr written_end(const Frame* frame)
{
   return frame->flags & FrameSynthesised && !(frame->flags & FrameSkipped)
             ? frame->written_end
             : 0;
}

/* A function may make its caller's frame and go back there with the stack pointer below
   its own slot: V8's code has its prologues in such functions.  What the slot holds by
   then says nothing; but control is where the call returns to.  Leaves the function's
   frames if that is so.  */
static Bool leave_above_new_frame(const Block* block, Addr sp)
{
   Frame* top = shadowstack_now.top;
   if (top->flags & (FrameBarrier | FrameStackSwitch | FrameOpenEnd) ||
       arch_slot(sp) > top->slot || shadowstack_return_address(top) != block->address)
      return False;
   while (top->flags & FrameTail)
      top = shadowstack_below(top);
   const Frame* caller = shadowstack_below(top);
   if (shadowstack_function(caller) != block->function)
      return False;
   pop_down_to(caller);
   return True;
}

/* Does `function`, or skipped code that it is part of, run in this frame or in the chain
   of tail calls that led to it?  */
static Bool is_run_by(Frame* frame, Function* function)
{
   return tail_chain_find(frame, function) != NULL ||
          shadowstack_was_jumped_from(frame, function) ||
          (frame->flags & FrameSkipped && is_skipped(function));
}

/* The topmost frame that has not been left when control comes to `block` by a jump.
   Where a call takes no room on the stack, frames whose slot is right below the stack
   pointer either have been left, or jump before they have taken any, or when they have
   given it back.  `is_unwinding`: the stack pointer was loaded, or a return went
   astray.  */
static Frame* first_not_left_by_jump(const Block* block, Addr sp, Bool is_unwinding)
{
   const ShadowStack* stack = shadowstack_now.stack;
   UInt region = shadowstack_region_of(stack, sp);
   Frame* jumping = shadowstack_first_not_left_in(stack, region, arch_slot(sp));
   Frame* below = shadowstack_first_not_left_in(stack, region, sp);
   if (LIKELY(jumping == below) || block_is_surely_at_start(block) ||
       block->function->kind == FunctionPlt || /* nothing is unwound to there */
       shadowstack_function(jumping)->kind == FunctionResolver)
      return jumping;
   if (jumping == shadowstack_now.top && !is_unwinding &&
       is_run_by(jumping, block->function))
      return jumping;
   if (sp < written_end(shadowstack_above(below)) &&
       shadowstack_return_address(jumping) == block->address)
      return below; /* to the next synthesised frame */
   for (Frame* frame = below; frame < jumping; frame = shadowstack_above(frame))
      if (is_run_by(frame, block->function))
         return frame;
   return jumping;
}

/* Control has come to `block` without call or return.  */
static void arrive_by_jump(Block* block, CallSite* site, Addr sp, Bool is_unwinding)
{
   if (leave_above_new_frame(block, sp))
      return;
   raise_if_moved_up(block, sp);
   Frame* below = first_not_left_by_jump(block, sp, is_unwinding);
   if (below != shadowstack_now.top) {
      Addr end = written_end(shadowstack_above(below));
      pop_down_to(below);
      if (UNLIKELY(sp < end)) {
         arrive_in_written(block, sp, end);
         return;
      }
   }
   Frame* found = tail_chain_find(shadowstack_now.top, block->function);
   Bool is_flat = options.tail_calls == TailCallsFlat;
   if (found != NULL && !is_call_by_thunk(block, site)) {
      if (found == shadowstack_now.top)
         return;
      if (!is_flat || block->function->is_unbounded || !is_at_start(block)) {
         go_back_to(found, block, site);
         return;
      }
   }
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameSkipped && is_skipped(top->skipped_function) &&
       is_skipped(block->function))
      return; /* from skipped code to skipped code */
   const Function* left = shadowstack_function(top);
   if (left != NULL && left->kind == FunctionResolver && top->arc != NULL) {
      /* What a lazy resolver jumps to was called by the resolver's caller.  */
      CallSite* called_from = top->arc->site;
      Addr entry_sp = top->slot;
      Addr return_address = shadowstack_return_address(top);
      UInt tail = top->flags & FrameTail;
      shadowstack_pop();
      entry_push_call(block, called_from, entry_sp, return_address, tail);
   } else if (is_call_of_skipped_code(block, top, sp)) {
      Addr slot = slot_at_start(block, sp), return_address;
      (void)arch_return_address(slot, &return_address);
      entry_push_call(block, site, slot, return_address, 0);
   } else if (top == shadowstack_bottom(shadowstack_now.stack))
      entry_push_call(block, NULL, SHADOWSTACK_TOP_SLOT, 0, FrameOpenEnd);
   else if (top->flags & FrameBarrier)
      arrive_at_root(block, sp);
   else if (is_flat)
      flat_jumps_replace_top(block, site);
   else
      entry_push_call(block, site, top->slot, shadowstack_return_address(top), FrameTail);
}

/* A return out of a synthesised frame of which it is not known where it ends, and still
   below the end of those that were written with it, comes to the next of them.  */
static Bool leave_written_of_unknown_size(Block* block, Addr sp)
{
   Frame* frame = shadowstack_now.top;
   Frame* found = tail_chain_find(frame, block->function);
   while (frame->flags & FrameTail)
      frame = shadowstack_below(frame);
   Addr end = written_end(frame);
   if (sp >= end || frame->return_address != 0 || found != NULL)
      return False;
   pop_down_to(shadowstack_below(frame));
   arrive_in_written(block, sp, end);
   return True;
}

/* A return went elsewhere than to the return address of a frame that it left.  Either
   the stack was unwound on the way (an exception's landing pad): then control is back
   in the frame below.  Or the return address was pushed or replaced (a retpoline):
   then this is a jump out of the frame that was left.  */
static void arrive_by_odd_return(Block* block, CallSite* site, Addr sp)
{
   Frame* top = shadowstack_now.top;
   if (leave_written_of_unknown_size(block, sp))
      return;
   Frame* below = shadowstack_first_not_left(shadowstack_now.stack, sp);
   if (below != top && shadowstack_above(below)->slot == top->slot &&
       tail_chain_find(below, block->function) == NULL &&
       !shadowstack_was_jumped_from(below, block->function))
      raise_frames(below, arch_slot(sp));
   arrive_by_jump(block, site, sp, True);
}

/* The fast path has passed the stub that a jump from `site` came to
   (pass_stub_of_jump()).  What comes behind it is not plain, so the stub gets the frame
   that it has otherwise.  */
static void stand_in_stub(CallSite* site)
{
   const Frame* top = shadowstack_now.top;
   Function* stub = symbols_function(site->stub_arc->callee_id);
   shadowstack_now.at.current = symbols_runs_as(stub)->id;
   if (!(top->flags & FrameSkipped))
      shadowstack_push_skipped(stub, top->context, site, top->slot,
                               shadowstack_return_address(top), FrameTail);
}

/*--------------------------------------------------------------------*/

void transition_enter(Block* block, CallSite* call, Addr sp)
{
   CallSite* exit = shadowstack_now.at.last_exit;
   shadowstack_hold_clock();
   if (call != NULL && call->kind == SiteJump) {
      stand_in_stub(call);
      call = NULL;
   }
   /* Calls among skipped code do not come here; the last one shows as an exit.  */
   if (call == NULL && exit != NULL && exit->kind == SiteCall) {
      if (shadowstack_now.top->flags & FrameSkipped)
         call = exit;
      exit = NULL;
   }
   Addr moved = shadowstack_now.at.moved;
   CoroutineArrival arrival = CoroutineHere;
   if (UNLIKELY(moved != 0))
      arrival = coroutine_arrive(block, call != NULL, sp);
   else if (call == NULL && exit != NULL &&
            (exit->kind == SiteReturn || copies_are_possible() || crossing_moved() != 0))
      arrival = coroutine_arrive_unseen(block, sp);
   if (arrival == CoroutineHere && call == NULL && exit != NULL && moved == 0)
      follow_if_moved(block, exit, sp);
   if (UNLIKELY(arrival != CoroutineHere)) {
      if (arrival == CoroutineRoot)
         arrive_at_root(block, sp);
      else if (arrival == CoroutineWritten)
         arrive_in_written(block, sp, moved);
   } else if (call != NULL) {
      if (arrive_by_call(block, call, sp))
         return;
   } else if (exit != NULL && exit->kind == SiteReturn)
      arrive_by_odd_return(block, exit, sp);
   else
      arrive_by_jump(block, exit, sp, moved != 0);
   shadowstack_run_top();
   transition_check();
}

/* True if `target` is the return address of one of the frames that `sp` has left
   behind.  */
static Bool returns_from_a_frame(Addr target, Addr sp)
{
   for (const Frame* frame = shadowstack_now.top;
        !(frame->flags & (FrameBarrier | FrameStackSwitch)) &&
        shadowstack_is_left(frame->slot, sp);
        frame = shadowstack_below(frame))
      if (shadowstack_return_address(frame) == target)
         return True;
   return False;
}

static void pop_through(const Frame* frame, Addr sp)
{
   const Frame* below = shadowstack_below(frame);
   Addr end = written_end(frame);
   pop_down_to(below);
   shadowstack_run_top();
   if (UNLIKELY(sp < end))
      expect_written(end);
   transition_check();
}

/* A function may leave results on the stack, and return with the stack pointer below its
   own slot.  leave_above_new_frame() sees that where control is back in another function;
   but in a recursion nothing shows it later.  */
static const Frame* returns_to_itself(Addr target)
{
   const UInt plain = FRAME_PLAIN | FrameTail | FrameInPlace;
   const Frame* top = shadowstack_now.top;
   const Frame* frame = top;
   while (frame->flags & FrameTail && (frame->flags & ~plain) == 0)
      frame = shadowstack_below(frame);
   Bool is_own =
      (frame->flags & ~plain) == 0 && frame->context != NULL &&
      shadowstack_return_address(top) == target &&
      shadowstack_function(shadowstack_below(frame)) == shadowstack_function(top);
   return is_own ? frame : NULL;
}

void transition_return(Addr target, Addr sp, CallSite* site)
{
   shadowstack_hold_clock();
   native_frames_at(target, sp);
   const Frame* top = shadowstack_now.top;
   Bool has_moved = shadowstack_now.at.moved != 0;
   Bool may_be_odd = !has_moved && slots_may_move();
   if (top->flags & FrameOpenEnd && shadowstack_function(top) == site->function &&
       !has_moved) {
      /* Back into code that is not known: no frame is left on the stack.  */
      pop_through(top, sp);
      return;
   }
   const Frame* left = shadowstack_find_return(shadowstack_now.stack, target, sp);
   if (coroutine_return(target, sp, left != NULL))
      left = shadowstack_find_return(shadowstack_now.stack, target, sp);
   else if (UNLIKELY(left != NULL && copies_moved(sp) != 0 &&
                     native_frames_tell(shadowstack_now.stack,
                                        shadowstack_region_of(shadowstack_now.stack, sp),
                                        shadowstack_below(left)) == 0))
      left = NULL; /* another stack's frame lies there */
   else if (may_be_odd && is_running(site)) {
      const Frame* moved = moved_slots_find_return(target, sp);
      left = moved != NULL ? moved : left;
   }
   if (left == NULL && may_be_odd && !shadowstack_is_left(top->slot, sp))
      left = returns_to_itself(target);
   if (left != NULL) {
      pop_through(left, sp);
      return;
   }
   if (!has_moved && (top->flags & FrameBarrier || !shadowstack_is_left(top->slot, sp))) {
      /* It leaves no frame: it is a jump to an address that was pushed.  */
      shadowstack_now.at.last_exit = site;
      return;
   }
   if ((has_moved && !shadowstack_topmost_holds(shadowstack_now.stack, sp)) ||
       !returns_from_a_frame(target, sp) ||
       (copies_moved(sp) != 0 && copies_are_known()) || copies_have_overwritten(sp)) {
      shadowstack_now.at.last_exit = site;
      shadowstack_now.at.current = 0;
      return;
   }
   /* A return that takes arguments off the stack, too, goes further up than its slot.  */
   const Frame* last = top;
   while (!(shadowstack_below(last)->flags & (FrameBarrier | FrameStackSwitch)) &&
          shadowstack_is_left(shadowstack_below(last)->slot, sp))
      last = shadowstack_below(last);
   pop_through(last, sp);
}
