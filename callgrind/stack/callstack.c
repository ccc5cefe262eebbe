/* SPDX-License-Identifier: GPL-2.0-or-later

   Call, return, jump, unwinding; see callstack.h.  Relies on shadowstack.c for
   the frames.

   The functions that generated code calls begin with a short way for what is
   plain: a call by an arc that was taken before, the way to it through a PLT stub,
   a tail call, and the return from these.  It does what the long way does, no
   more.

   A call through a stub stays under way until it comes to a function that is
   shown.  No frame is pushed for the stub; what it costs is booked on the call
   site.  */

#include "stack/callstack.h"

#include "options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* The guest's registers are in its state at the start of a superblock, where all
   that VEX keeps in host registers has been written back.  */
static inline Addr guest_sp(void)
{
   const UChar* state = shadowstack_now.guest_state;
   return LIKELY(state != NULL) ? *(const Addr*)(state + GUEST_SP_OFFSET)
                                : VG_(get_SP)(VG_(get_running_tid)());
}

static inline Addr guest_ip(void)
{
   const UChar* state = shadowstack_now.guest_state;
   return LIKELY(state != NULL) ? *(const Addr*)(state + GUEST_IP_OFFSET)
                                : VG_(get_IP)(VG_(get_running_tid)());
}

Function* callstack_continuing_function(void)
{
   return shadowstack_pending_call() == NULL ? shadowstack_function(shadowstack_now.top)
                                             : NULL;
}

/*--------------------------------------------------------------------*/
/* Entering a function                                                 */

/* The context that `function` runs in when `caller` (NULL: nobody) enters it.  */
static Context* context_for(Function* function, Context* caller, UInt* flags)
{
   if (options.skip_direct_recursion && caller != NULL && caller->function == function)
      return caller;
   *flags |= FrameCounted;
   UInt level = ++*shadowstack_activations(function);
   return context_get(function, level < options.separate_recursions
                                   ? level
                                   : options.separate_recursions);
}

/* Enters a function that is not shown: its cost is the caller's, at `site`.  */
static void push_bare(Block* block, Context* context, CallSite* site, Addr sp,
                      Addr return_address, UInt flags)
{
   if (context == NULL) {
      Function* skipped = symbols_skipped_function();
      context = context_get(skipped, 1);
      site = callsite_unknown(skipped);
   }
   Frame* frame = shadowstack_push(context, sp, return_address, flags | FrameBare);
   frame->bare_function = block->function;
   frame->bare_site = site;
   frame->arc = arc_get(context, site, NULL, NULL);
}

/* Enters the function of `block` from `site` in the topmost frame, or from
   nowhere if that is a barrier.  */
static void push_function(Block* block, CallSite* site, Addr sp, Addr return_address,
                          UInt flags)
{
   Function* function = block->function;
   const Frame* top = shadowstack_now.top;
   Context* caller = top->context;
   if (top->flags & FrameBare)
      site = top->bare_site;
   else if (caller != NULL && (site == NULL || site->function != caller->function))
      site = callsite_unknown(caller->function);

   if (function->kind == FunctionPlt) {
      push_bare(block, caller, site, sp, return_address, flags);
      return;
   }
   if (UNLIKELY(function->toggles_collection)) {
      shadowstack_set_collecting(shadowstack_now.stack,
                                 !shadowstack_now.stack->is_collecting);
      flags |= FrameToggle;
   }
   Context* context = context_for(function, caller, &flags);
   if (caller == NULL) {
      shadowstack_push(context, sp, return_address, flags | FrameRoot);
      return;
   }
   Frame* frame = shadowstack_push(context, sp, return_address, flags);
   frame->arc = arc_get(caller, site, context, block);
   if (!function->toggles_collection)
      arc_remember(frame->arc, block->node.key);
   if (shadowstack_now.stack->is_collecting)
      frame->arc->calls++;
}

/* The call from `site` has come to a stub.  */
static void arrive_at_stub(Block* block, CallSite* site, Addr sp)
{
   if (shadowstack_now.at.stub != NULL)
      return; /* the same stub's next superblock */
   const Frame* top = shadowstack_now.top;
   Arc* arc = arc_get(top->context, site, NULL, NULL);
   site->stub_arc = arc;
   arc->last_target = block->node.key;
   arc->last_epoch = block_epoch;
   shadowstack_now.at.stub = arc;
   shadowstack_now.at.stub_sp = sp;
   cost_copy(shadowstack_now.at.stub_clock, cost_clock);
   shadowstack_now.counters = context_scratch_counters();
}

/* True if the call stays under way: it has come to a stub only.  */
static Bool arrive_by_call(Block* block, CallSite* site, Addr sp)
{
   if (shadowstack_now.at.stub != NULL)
      sp = shadowstack_now.at.stub_sp;
   /* Whatever lies at or below a new return address is dead.  */
   while (shadowstack_now.top->sp <= sp && !(shadowstack_now.top->flags & FrameBarrier))
      shadowstack_pop();
   if (block->function->kind == FunctionPlt &&
       !(shadowstack_now.top->flags & (FrameBare | FrameBarrier))) {
      arrive_at_stub(block, site, sp);
      return True;
   }
   shadowstack_book_stub();
   push_function(block, site, sp, site->return_address, 0);
   return False;
}

/*--------------------------------------------------------------------*/
/* Jumps                                                               */

/* The topmost frame that a stack pointer of `sp` has not left behind.  Frames
   below a signal's barrier are reached only from the stack that they are on.  */
static Frame* first_not_left_behind(Addr sp)
{
   const ShadowStack* stack = shadowstack_now.stack;
   UInt interruption = stack->n_interruptions;
   Frame* frame = shadowstack_now.top;
   while (frame->sp < sp) {
      if (frame->flags & FrameBarrier) {
         const Interruption* in = &stack->interruptions[--interruption];
         if (in->on_alt_stack && sp >= in->alt_start && sp < in->alt_end)
            break;
      }
      frame = shadowstack_below(frame);
   }
   return frame;
}

static void pop_down_to(const Frame* frame)
{
   while (shadowstack_now.top != frame)
      shadowstack_pop();
}

/* The frame of `function` in the chain of tail calls that ends at `frame`, or
   NULL.  */
static Frame* find_in_tail_chain(Frame* frame, const Function* function)
{
   for (;; frame = shadowstack_below(frame)) {
      if (shadowstack_function(frame) == function)
         return frame;
      if (!(frame->flags & FrameTail))
         return NULL;
   }
}

/* Control has come to `block` without call or return.  */
static void arrive_by_jump(Block* block, CallSite* site, Addr sp)
{
   pop_down_to(first_not_left_behind(sp));
   Frame* found = find_in_tail_chain(shadowstack_now.top, block->function);
   if (found != NULL) {
      pop_down_to(found);
      return;
   }
   const Frame* top = shadowstack_now.top;
   const Function* left = shadowstack_function(top);
   if (left != NULL && left->kind == FunctionResolver && top->arc != NULL) {
      /* What a lazy resolver jumps to was called by the resolver's caller.  */
      const Frame resolver = *top;
      shadowstack_pop();
      push_function(block, resolver.arc->site, resolver.sp, resolver.return_address,
                    resolver.flags & FrameTail);
   } else if (top->flags & FrameBarrier)
      push_function(block, NULL, sp, 0, 0);
   else
      push_function(block, site, top->sp, top->return_address, FrameTail);
}

/* A return went elsewhere than to the return address of a frame that it left.
   Either the stack was unwound on the way (an exception's landing pad): then
   control is back in the frame below.  Or the return address was pushed or
   replaced (a retpoline): then this is a jump out of the frame left.  */
static void arrive_by_odd_return(Block* block, CallSite* site, Addr sp)
{
   Frame* top = shadowstack_now.top;
   Frame* below = first_not_left_behind(sp);
   if (below != top && shadowstack_above(below)->sp == top->sp &&
       find_in_tail_chain(below, block->function) == NULL)
      for (Frame* frame = top; frame != below; frame = shadowstack_below(frame))
         frame->sp = sp;
   arrive_by_jump(block, site, sp);
}

/*--------------------------------------------------------------------*/
/* From generated code                                                 */

static void check(void)
{
   if (UNLIKELY(options.check))
      tl_assert2(shadowstack_is_valid(shadowstack_now.stack),
                 "the shadow stack is inconsistent");
}

/* The arc from the topmost frame at `site` to `ip`, if it may be taken the short
   way; otherwise NULL.  */
static inline Arc* plain_arc(const CallSite* site, Addr ip)
{
   const Frame* top = shadowstack_now.top;
   Arc* arc = site->last_arc;
   if (arc == NULL || arc->last_target != ip || arc->caller != top->context)
      arc = arc_recall(top->context, site, ip);
   if (arc == NULL || arc->last_epoch != shadowstack_now.plain_epoch ||
       top->flags & FrameBare || top == shadowstack_now.last)
      return NULL;
   return arc;
}

/* Takes `arc`; False if its callee would not be at the recursion level that it is
   an arc to.  */
static inline Bool push_plainly(Arc* arc, Addr sp, Addr return_address, UInt flags)
{
   Context* callee = arc->callee;
   UInt id = callee->function_id;
   UInt level = shadowstack_now.activations[id] + 1;
   if (level != callee->level &&
       (level < callee->level || callee->level != options.separate_recursions))
      return False;
   shadowstack_now.activations[id] = level;
   arc->calls++;
   Frame* frame = shadowstack_above(shadowstack_now.top);
   frame->sp = sp;
   frame->return_address = return_address;
   frame->context = callee;
   frame->arc = arc;
   frame->flags = flags;
   frame->entry[0] = cost_clock[0];
   shadowstack_now.top = frame;
   shadowstack_now.at.where = id;
   shadowstack_now.counters = callee->counters;
   return True;
}

/* A call to `ip`, straight or by way of a stub.  */
static inline Bool call_plainly(const CallSite* site, Addr ip, Addr sp)
{
   Arc* stub = shadowstack_now.at.stub;
   if (stub == NULL) {
      Arc* to_stub = site->stub_arc;
      const Frame* top = shadowstack_now.top;
      if (to_stub != NULL && to_stub->last_target == ip &&
          to_stub->last_epoch == shadowstack_now.plain_epoch &&
          to_stub->caller == top->context && !(top->flags & FrameBare)) {
         shadowstack_now.at.stub = to_stub;
         shadowstack_now.at.stub_sp = sp;
         shadowstack_now.at.stub_clock[0] = cost_clock[0];
         shadowstack_now.counters = context_scratch_counters();
         return True;
      }
   } else
      sp = shadowstack_now.at.stub_sp;

   Arc* arc = plain_arc(site, ip);
   if (arc == NULL || shadowstack_now.top->sp <= sp)
      return False;
   if (!push_plainly(arc, sp, site->return_address, FRAME_PLAIN))
      return False;
   if (stub != NULL) {
      stub->inclusive[0] += cost_clock[0] - shadowstack_now.at.stub_clock[0];
      shadowstack_now.at.stub = NULL;
   }
   return True;
}

/* A jump to `ip` in another function that is not in the chain of tail calls.  */
static inline Bool jump_plainly(const CallSite* site, Addr ip, Addr sp)
{
   Arc* arc = plain_arc(site, ip);
   Frame* top = shadowstack_now.top;
   if (arc == NULL || top->sp < sp ||
       find_in_tail_chain(top, arc->callee->function) != NULL ||
       top->context->function->kind == FunctionResolver)
      return False;
   return push_plainly(arc, top->sp, top->return_address, FRAME_PLAIN | FrameTail);
}

static void enter(Block* block, CallSite* call, Addr sp)
{
   CallSite* exit = shadowstack_now.at.exit;
   shadowstack_hold_clock();
   if (call != NULL) {
      if (arrive_by_call(block, call, sp))
         return;
   } else if (exit != NULL && exit->kind == SiteReturn)
      arrive_by_odd_return(block, exit, sp);
   else
      arrive_by_jump(block, exit, sp);
   shadowstack_run_top();
   check();
}

void callstack_enter(void)
{
   CallSite* call = shadowstack_pending_call();
   CallSite* exit = shadowstack_now.at.exit;
   Addr ip = guest_ip();
   Addr sp = guest_sp();
   if (call != NULL
          ? call_plainly(call, ip, sp)
          : exit != NULL && exit->kind == SiteJump && jump_plainly(exit, ip, sp))
      return;
   Block* block = block_at(ip);
   tl_assert(block != NULL);
   enter(block, call, sp);
}

void callstack_enter_block(Block* block)
{
   enter(block, shadowstack_pending_call(), guest_sp());
}

/* The return from a plain call, and from the tail calls that followed it, to a
   frame that is shown.  */
static inline Bool return_plainly(Addr target, Addr sp)
{
   UInt plain = shadowstack_now.plain_flags;
   Frame* left = shadowstack_now.top;
   while (UNLIKELY(left->flags == (plain | FrameTail)) && plain != ~0u)
      left = shadowstack_below(left);
   Frame* below = shadowstack_below(left);
   if (left->flags != plain || left->return_address != target ||
       !shadowstack_is_left(left->sp, sp) || shadowstack_is_left(below->sp, sp) ||
       below->flags & (FrameBare | FrameBarrier))
      return False;
   for (Frame* frame = shadowstack_now.top; frame != below;
        frame = shadowstack_below(frame)) {
      frame->arc->inclusive[0] += cost_clock[0] - frame->entry[0];
      shadowstack_now.activations[frame->context->function_id]--;
   }
   shadowstack_now.top = below;
   shadowstack_now.at.where = below->context->function_id;
   shadowstack_now.counters = below->context->counters;
   return True;
}

/* True if the return to `target` is that of one of the frames that `sp` has left
   behind.  */
static Bool returns_from_a_frame(Addr target, Addr sp)
{
   for (const Frame* frame = shadowstack_now.top;
        !(frame->flags & FrameBarrier) && shadowstack_is_left(frame->sp, sp);
        frame = shadowstack_below(frame))
      if (frame->return_address == target)
         return True;
   return False;
}

void callstack_return(Addr target, const UChar* guest_state, CallSite* site)
{
   shadowstack_now.guest_state = guest_state;
   Addr sp = guest_sp();
   if (LIKELY(return_plainly(target, sp)))
      return;
   shadowstack_hold_clock();
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameBarrier || !shadowstack_is_left(top->sp, sp)) {
      /* It leaves no frame: a jump to an address that was pushed.  */
      shadowstack_now.at.exit = site;
      return;
   }
   if (!returns_from_a_frame(target, sp)) {
      shadowstack_now.at.exit = site;
      shadowstack_now.at.where = 0;
      return;
   }
   while (!(shadowstack_now.top->flags & FrameBarrier) &&
          shadowstack_is_left(shadowstack_now.top->sp, sp))
      shadowstack_pop();
   shadowstack_run_top();
   check();
}
