/* SPDX-License-Identifier: GPL-2.0-or-later

   Fast path: entering functions.  For callstack.c alone, which compiles it for each set
   of events (fast_frame.h).

   Here is what is plain: a call or a tail call by an arc that was taken before, the way
   to it through a PLT stub, a call from skipped code.  Each function does what
   transition.c would do, no more.  It returns False, with the shadow stack as it was, if
   it does not know the case; then the slow path follows.

   A call and its return (fast_return.h) are 67 host instructions together on amd64, 80
   with caches, and 95 with branches, too: count again after every change.  */

#ifndef CALLGRIND_FAST_ENTER_H
#define CALLGRIND_FAST_ENTER_H

#include "model/arc_targets.h"
#include "stack/following/fast_frame.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/tail_chain.h"

/*--------------------------------------------------------------------*/
/* Nodes of the call tree                                              */

/* The node of what is called by `arc` from `caller`, if it is at hand; otherwise
   NULL.  */
ALWAYS_INLINE TreeNode* known_node_of_callee(Arc* arc, TreeNode* caller)
{
   /* In a recursion one arc leads from ever new nodes to ever new ones.  */
   TreeNode* first = caller->first_child;
   if (first != NULL && first->function == arc->callee_id && first->kind == NodeCalled &&
       arc->site->line.inlined == 0)
      return first;
   const ArcNodes* nodes = arc_nodes(arc);
   return nodes->caller == caller ? nodes->callee : NULL;
}

ALWAYS_INLINE TreeNode* node_of_callee(Arc* arc, TreeNode* caller)
{
   TreeNode* known = known_node_of_callee(arc, caller);
   if (known != NULL)
      return known;
   TreeNode* node = caller;
   if (arc->site->line.inlined != 0)
      node = calltree_inlined(caller, callsite_line(arc->site).inlined);
   TreeNode* callee = calltree_child(node, arc->callee->function, NodeCalled);
   arc_remember_nodes(arc, caller, callee);
   return callee;
}

/*--------------------------------------------------------------------*/
/* Taking an arc                                                       */

/* True if `arc` is the one from the topmost frame to `ip`.  */
ALWAYS_INLINE Bool leads_to(const Arc* arc, const Frame* top, Addr ip)
{
   return arc->last_target == ip && arc->caller == top->context;
}

/* As leads_to(), of the way to a stub, which may have none.  */
ALWAYS_INLINE Bool leads_to_stub(const Arc* arc, const Frame* top, Addr ip)
{
   return arc != NULL && leads_to(arc, top, ip);
}

/* True if the next activation of the callee's function is one that it stands for.  */
ALWAYS_INLINE Bool is_at_level(const Arc* arc, const UInt* activations)
{
   const Context* callee = arc->callee;
   return activations[arc->callee_id] - callee->n_outer <= callee->level_span;
}

/* Takes `arc`.  Returns False if its callee would not be at the recursion level that the
   arc leads to, or if its node is not at hand and `finds_node` is not set.  Leaves the
   frame's return address unset.  */
ALWAYS_INLINE Bool push_finding(Arc* arc, Frame* top, Addr slot, UInt flags,
                                HelperVariant variant, Bool finds_node)
{
   Context* callee = arc->callee;
   UInt* activations = shadowstack_now.activations;
   UInt id = arc->callee_id;
   if (!is_at_level(arc, activations))
      return False;
   /* Finding a node may prune the tree, which walks over the frames: before the new frame
      is there.  */
   TreeNode* node = !has_tree(variant) ? NULL
                    : finds_node       ? node_of_callee(arc, top->node)
                                       : known_node_of_callee(arc, top->node);
   if (has_tree(variant) && node == NULL)
      return False;
   /* First what the next superblock waits for.  */
   Frame* frame = frame_above(top, variant);
   shadowstack_now.counters = callee->counters;
   shadowstack_now.at.current = id;
   shadowstack_now.top = frame;
   activations[id]++;
   arc->calls++;
   frame->slot = slot;
   frame->context = callee;
   frame->arc = arc;
   frame->flags = flags;
   copy_frequent(frame->entry, variant);
   if (has_tree(variant)) {
      frame->node = node;
      node->calls++;
      run_node(node, is_rare_synced(top, variant), variant);
   }
   return True;
}

ALWAYS_INLINE Bool push_plainly(Arc* arc, Frame* top, Addr slot, UInt flags,
                                HelperVariant variant)
{
   return push_finding(arc, top, slot, flags, variant, True);
}

/*--------------------------------------------------------------------*/
/* Calls and jumps                                                     */

/* A call to `ip` has come to a stub that it came to before.  */
ALWAYS_INLINE Bool reach_stub(const CallSite* site, const Frame* top, Addr ip, Addr slot,
                              HelperVariant variant)
{
   Arc* arc = site->stub_arc;
   if (shadowstack_now.limit == NULL || !leads_to_stub(arc, top, ip))
      return False;
   shadowstack_now.at.stub = arc;
   shadowstack_now.at.stub_slot = slot;
   copy_frequent(shadowstack_now.at.stub_clock, variant);
   if (!is_one(variant))
      copy_rare(shadowstack_now.at.stub_clock);
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.limit = NULL;
   return True;
}

/* Books what a stub is known to cost: a byte of `cost` for each frequent event.  */
ALWAYS_INLINE void book_stub(Arc* stub, ULong cost, HelperVariant variant)
{
   for (UInt e = 0; e < n_frequent(variant); e++, cost >>= 8)
      stub->inclusive[e] += cost & 0xff;
}

/* A call to `ip` has come to a stub that it came to before, and which leads on by its
   first superblock.  All that this superblock is known to cost is booked at once, see
   book_stub().  So the call goes on from there as if it had come from its site.  Rare
   events are booked as they happen (shadowstack_stub_passed()).  */
ALWAYS_INLINE Bool pass_stub(Addr ip, Addr slot, ULong cost, HelperVariant variant)
{
   const CallSite* site = shadowstack_pending_call();
   if (UNLIKELY(site == NULL))
      return False;
   const Frame* top = shadowstack_now.top;
   Arc* arc = site->stub_arc;
   if (UNLIKELY(shadowstack_now.limit == NULL) ||
       UNLIKELY(!leads_to_stub(arc, top, ip)) ||
       UNLIKELY(shadowstack_now.at.stub != NULL) || UNLIKELY(top->slot <= slot))
      return False;
   shadowstack_now.counters = context_scratch_counters();
   book_stub(arc, cost, variant);
   return True;
}

/* As pass_stub(), of a jump to `ip`.  It is under way from there on, as a call would be;
   if it is already, the stub has faulted and is executed again.  */
ALWAYS_INLINE Bool pass_stub_of_jump(Addr ip, Addr slot, ULong cost,
                                     HelperVariant variant)
{
   const CallSite* site = shadowstack_pending_call();
   if (site == NULL)
      site = shadowstack_now.at.last_exit;
   if (site == NULL || site->kind != SiteJump)
      return False;
   const Frame* top = shadowstack_now.top;
   Arc* arc = site->stub_arc;
   if (shadowstack_now.limit == NULL || !leads_to_stub(arc, top, ip) ||
       shadowstack_now.at.stub != NULL || top->slot != slot ||
       top->context->function->kind == FunctionResolver)
      return False;
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.at.current = (UWord)site;
   shadowstack_now.at.last_exit = NULL;
   book_stub(arc, cost, variant);
   return True;
}

/* A call to `ip` by way of the stub that it is in.  */
ALWAYS_INLINE Bool call_from_stub(const CallSite* site, Addr ip, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* stub = shadowstack_now.at.stub;
   Arc* arc = site->last_arc;
   Addr slot = shadowstack_now.at.stub_slot;
   if (!leads_to(arc, top, ip) || shadowstack_now.plain_flags == FRAME_NEVER ||
       top->slot <= slot || top >= shadowstack_now.last)
      return False;
   /* Out of the stub, as it may be that the tree is pruned.  */
   shadowstack_now.at.stub = NULL;
   if (UNLIKELY(!push_plainly(arc, top, slot, FRAME_PLAIN, variant))) {
      shadowstack_now.at.stub = stub;
      return False;
   }
   shadowstack_now.at.last_exit = NULL;
   shadowstack_now.limit = shadowstack_now.last;
   add_frequent(stub->inclusive, shadowstack_now.at.stub_clock, variant);
   if (is_rare_synced(top, variant)) /* otherwise no rare event has happened in it */
      add_rare(stub->inclusive, shadowstack_now.at.stub_clock);
   return True;
}

/* A call that goes through a stub: to there, or on from there.  */
ALWAYS_INLINE Bool call_by_stub(const CallSite* site, Addr ip, Addr slot,
                                HelperVariant variant)
{
   if (site->kind == SiteJump)
      return False; /* it has passed its stub */
   return shadowstack_now.at.stub == NULL
             ? reach_stub(site, shadowstack_now.top, ip, slot, variant)
             : call_from_stub(site, ip, variant);
}

/* A call to `ip` from skipped code: it is its owner's call.  */
ALWAYS_INLINE Bool call_from_skipped(Frame* top, Addr ip, Addr slot,
                                     HelperVariant variant)
{
   Arc* arc = arc_recall(top->context, top->skipped_site, ip);
   if (arc == NULL || shadowstack_now.plain_flags == FRAME_NEVER || top->slot <= slot ||
       top == shadowstack_now.last || arc->callee->function->kind == FunctionResolver)
      return False;
   const CallSite* site = shadowstack_now.at.last_exit;
   book_skipped(top, variant);
   restart_skipped(top, variant);
   if (!push_plainly(arc, top, slot, FRAME_PLAIN | FrameOverSkipped, variant))
      return False;
   shadowstack_now.top->return_address = site->return_address;
   shadowstack_now.limit = shadowstack_now.last;
   return True;
}

/* A call to `ip`, not by the arc that its site took last.  */
ALWAYS_INLINE Bool call(CallSite* site, Addr ip, Addr slot, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = arc_recall(top->context, site, ip);
   if (arc == NULL || top->slot <= slot || top >= shadowstack_now.limit ||
       !push_plainly(arc, top, slot, FRAME_PLAIN, variant))
      return False;
   site->last_arc = arc;
   return True;
}

/* The arc by which `site` led to `ip` from the topmost frame's context before; NULL if
   that is not known.  */
ALWAYS_INLINE Arc* arc_taken_before(const CallSite* site, const Frame* top, Addr ip)
{
   Arc* last = site->last_arc;
   return leads_to(last, top, ip) ? last : arc_recall(top->context, site, ip);
}

/* Takes `arc` by a jump, unless its callee is in the chain of tail calls.  */
ALWAYS_INLINE Bool push_tail_call(Arc* arc, Frame* top, HelperVariant variant)
{
   if (tail_chain_has_id(top, arc->callee_id, frame_size(variant)) ||
       !push_plainly(arc, top, top->slot, FRAME_PLAIN | FrameTail, variant))
      return False;
   shadowstack_now.top->return_address = shadowstack_return_address(top);
   return True;
}

/* A jump to `ip` in another function that is not in the chain of tail calls.  */
ALWAYS_INLINE Bool jump(const CallSite* site, Addr ip, Addr slot, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = arc_taken_before(site, top, ip);
   return arc != NULL && top->slot >= slot && top < shadowstack_now.limit &&
          top->context->function->kind != FunctionResolver &&
          push_tail_call(arc, top, variant);
}

/* A jump to `ip`, which is in a stub that the last jump from `site` came to: the stub is
   skipped code, whose owner has jumped.  */
ALWAYS_INLINE Bool jump_to_stub(CallSite* site, Addr ip, Addr slot, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = site->stub_arc;
   if (!leads_to_stub(arc, top, ip) || top->slot < slot || top >= shadowstack_now.limit ||
       top->context->function->kind == FunctionResolver ||
       (has_tree(variant) && top->node == NULL))
      return False;
   Frame* frame = frame_above(top, variant);
   frame->slot = top->slot;
   frame->return_address = shadowstack_return_address(top);
   frame->context = top->context;
   frame->arc = arc;
   frame->flags = FrameSkipped | FrameTail;
   frame->skipped_function = symbols_function(arc->callee_id);
   frame->skipped_site = site;
   if (has_tree(variant))
      frame->node = top->node;
   copy_frequent(frame->entry, variant);
   shadowstack_now.top = frame;
   shadowstack_now.limit = NULL;
   shadowstack_now.at.last_exit = NULL;
   shadowstack_now.at.current = symbols_skipped_function()->id;
   shadowstack_now.counters = context_scratch_counters();
   /* The node goes on as it is; but whether rare events have happened, only the frame
      that has jumped tells.  */
   run_node(top->node, is_rare_synced(top, variant), variant);
   return True;
}

/* A jump to `ip` from a stub that was jumped to: its owner's.  */
ALWAYS_INLINE Bool jump_from_stub(Addr ip, Addr slot, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   if (top->flags != (FrameSkipped | FrameTail) || shadowstack_now.at.moved != 0 ||
       shadowstack_now.plain_flags == FRAME_NEVER || top->slot != slot ||
       top >= shadowstack_now.last || top->skipped_function->kind != FunctionPlt ||
       top->return_address == ip)
      return False;
   Arc* arc = arc_recall(top->context, top->skipped_site, ip);
   if (arc == NULL || arc->callee->function->kind == FunctionResolver ||
       tail_chain_has_id(top, arc->callee_id, frame_size(variant)))
      return False;
   book_skipped(top, variant);
   restart_skipped(top, variant);
   if (!push_plainly(arc, top, slot, FRAME_PLAIN | FrameTail | FrameOverSkipped, variant))
      return False;
   shadowstack_now.top->return_address = top->return_address;
   shadowstack_now.limit = shadowstack_now.last;
   return True;
}

/* As jump_from_stub(), where the stub was passed: a jump from `site` is under way.  */
ALWAYS_INLINE Bool jump_from_passed_stub(CallSite* site, Addr ip, Addr slot,
                                         HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = arc_taken_before(site, top, ip);
   if (arc == NULL || top->slot != slot || top >= shadowstack_now.limit ||
       shadowstack_return_address(top) == ip ||
       arc->callee->function->kind == FunctionResolver ||
       !push_tail_call(arc, top, variant))
      return False;
   site->last_arc = arc;
   return True;
}

/* --tail-calls=flat: would a jump to `ip` by `arc` go back to the function that `top` was
   jumped to from, and not clearly to its start?  */
ALWAYS_INLINE Bool goes_back(const Frame* top, const Arc* arc, Addr ip)
{
   const Function* callee = arc->callee->function;
   return shadowstack_was_jumped_from(top, callee) &&
          (callee->is_unbounded || callee->known_start != ip);
}

/* --tail-calls=flat: a jump to `ip` from a function that was called, or took the place of
   one that was.  The arc begins where that call was made.  */
ALWAYS_INLINE Bool jump_in_place(Addr ip, Addr slot, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   if (shadowstack_now.limit == NULL || top->slot < slot ||
       (top->flags & ~(UInt)FrameInPlace) != FRAME_PLAIN)
      return False;
   Frame* below = frame_below(top, variant);
   Function* left = top->context->function;
   Arc* arc = arc_recall(below->context, top->arc->site, ip);
   if (arc == NULL || arc->callee->function == left || left->kind == FunctionResolver ||
       top->arc->return_address == ip || goes_back(top, arc, ip) || is_long(top, variant))
      return False;
   if (!is_at_level(arc, shadowstack_now.activations))
      return False;
   if (has_tree(variant))
      (void)node_of_callee(arc, below->node); /* while the frame is still there */
   Addr entry_sp = top->slot;
   book_left(top, variant);
   shadowstack_now.activations[left->id]--;
   push_plainly(arc, below, entry_sp, FRAME_PLAIN | FrameInPlace, variant);
   top->return_address = arc->return_address;
   top->jumped_from = left;
   return True;
}

/*--------------------------------------------------------------------*/

/* The most frequent case: a call by the arc that its site took last.  With
   `finds_node`, a node of the call tree that is not at hand is found.  */
ALWAYS_INLINE Bool fast_enter_by_last_arc(Addr ip, Addr slot, HelperVariant variant,
                                          Bool finds_node)
{
   UWord current = shadowstack_now.at.current;
   if (UNLIKELY(current <= SYMBOLS_MAX_FUNCTION_ID))
      return False;
   Frame* top = shadowstack_now.top;
   Arc* arc = ((const CallSite*)current)->last_arc;
   return LIKELY(leads_to(arc, top, ip)) && LIKELY(top->slot > slot) &&
          LIKELY(top < shadowstack_now.limit) &&
          LIKELY(push_finding(arc, top, slot, FRAME_PLAIN, variant, finds_node));
}

/* The others.  Control has come to `ip` by a call from `site`, or by a jump from there
   through a stub that was passed; or, if that is NULL, by way of the exit `exit` (NULL:
   not known).  */
ALWAYS_INLINE Bool fast_enter(CallSite* site, CallSite* exit, Addr ip, Addr slot,
                              HelperVariant variant)
{
   if (site != NULL)
      return site->kind == SiteJump ? jump_from_passed_stub(site, ip, slot, variant)
                                    : call(site, ip, slot, variant);
   if (exit == NULL)
      return !is_flat() && jump_from_stub(ip, slot, variant);
   Frame* top = shadowstack_now.top;
   if (exit->kind == SiteCall)
      return top->flags & FrameSkipped && call_from_skipped(top, ip, slot, variant);
   if (exit->kind != SiteJump)
      return False;
   if (is_flat())
      return jump_in_place(ip, slot, variant);
   return jump_to_stub(exit, ip, slot, variant) || jump(exit, ip, slot, variant);
}

#endif
