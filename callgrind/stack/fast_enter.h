/* SPDX-License-Identifier: GPL-2.0-or-later

   Fast path: entering functions.  For callstack.c alone, which compiles it for each set
   of events (fast_frame.h).

   Here is what is plain: a call by an arc that was taken before, the way to it through a
   PLT stub, a call from skipped code, a tail call.  Each function does what transition.c
   would do, no more.  It returns False, with the shadow stack as it was, if it does not
   know the case; then the slow path follows.

   A call and its return (fast_return.h) are 72 host instructions together, 82 with
   caches: count again after every change.  */

#ifndef CALLGRIND_FAST_ENTER_H
#define CALLGRIND_FAST_ENTER_H

#include "model/arc_targets.h"
#include "stack/fast_frame.h"
#include "stack/shadowstack_running.h"
#include "stack/transition.h"

/*--------------------------------------------------------------------*/
/* Nodes of the call tree                                              */

/* The node of what is called by `arc` from `caller`, if it is at hand; otherwise
   NULL.  */
ALWAYS_INLINE TreeNode* known_node_of_callee(Arc* arc, TreeNode* caller)
{
   /* In a recursion one arc leads from ever new nodes to ever new ones.  */
   TreeNode* first = caller->first_child;
   if (first != NULL && first->function == arc->callee->function_id &&
       first->kind == NodeCalled && arc->site->line.inlined == 0)
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
static inline Bool leads_to(const Arc* arc, const Frame* top, Addr ip)
{
   return arc != NULL && arc->last_target == ip && arc->caller == top->context;
}

/* Takes `arc`.  Returns False if its callee would not be at the recursion level that the
   arc leads to, or if its node is not at hand and `finds_node` is not set.  Leaves the
   frame's return address unset.  */
ALWAYS_INLINE Bool push_finding(Arc* arc, Frame* top, Addr slot, UInt flags,
                                Events events, Bool finds_node)
{
   Context* callee = arc->callee;
   UInt id = callee->function_id;
   UInt level = shadowstack_now.activations[id] + 1;
   if (level - callee->level > callee->level_span)
      return False;
   /* Finding a node may prune the tree, which walks over the frames: before the new frame
      is there.  */
   TreeNode* node = !has_tree(events) ? NULL
                    : finds_node      ? node_of_callee(arc, top->node)
                                      : known_node_of_callee(arc, top->node);
   if (has_tree(events) && node == NULL)
      return False;
   /* First what the next superblock waits for.  */
   Frame* frame = frame_above(top, events);
   shadowstack_now.counters = callee->counters;
   shadowstack_now.at.current = id;
   shadowstack_now.top = frame;
   shadowstack_now.activations[id] = level;
   arc->calls++;
   frame->sp = slot;
   frame->context = callee;
   frame->arc = arc;
   frame->flags = flags;
   copy_frequent(frame->entry, events);
   if (has_tree(events)) {
      frame->node = node;
      node->calls++;
      run_node(node, is_rare_synced(top, events), events);
   }
   return True;
}

ALWAYS_INLINE Bool push_plainly(Arc* arc, Frame* top, Addr slot, UInt flags,
                                Events events)
{
   return push_finding(arc, top, slot, flags, events, True);
}

/*--------------------------------------------------------------------*/
/* Calls and jumps                                                     */

/* A call to `ip` has come to a stub that it came to before.  */
ALWAYS_INLINE Bool reach_stub(const CallSite* site, const Frame* top, Addr ip, Addr slot,
                              Events events)
{
   Arc* arc = site->stub_arc;
   if (shadowstack_now.limit == NULL || !leads_to(arc, top, ip))
      return False;
   shadowstack_now.at.stub = arc;
   shadowstack_now.at.stub_slot = slot;
   copy_frequent(shadowstack_now.at.stub_clock, events);
   if (!is_one(events))
      copy_rare(shadowstack_now.at.stub_clock);
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.limit = NULL;
   return True;
}

/* A call to `ip` by way of the stub that it is in.  */
ALWAYS_INLINE Bool call_from_stub(const CallSite* site, Frame* top, Addr ip,
                                  Events events)
{
   Arc* stub = shadowstack_now.at.stub;
   Arc* arc = site->last_arc;
   if (stub == NULL || !leads_to(arc, top, ip) ||
       shadowstack_now.plain_flags == FRAME_NEVER)
      return False;
   const ControlPoint at_stub = shadowstack_now.at;
   shadowstack_run_top(); /* out of the stub */
   if (top->sp > at_stub.stub_slot && top < shadowstack_now.limit &&
       push_plainly(arc, top, at_stub.stub_slot, FRAME_PLAIN, events)) {
      add_frequent(stub->inclusive, at_stub.stub_clock, events);
      if (!is_one(events))
         add_rare(stub->inclusive, at_stub.stub_clock);
      return True;
   }
   shadowstack_now.at = at_stub;
   shadowstack_counters_moved();
   return False;
}

/* A call to `ip` from skipped code: it is its owner's call.  */
ALWAYS_INLINE Bool call_from_skipped(Frame* top, Addr ip, Addr slot, Events events)
{
   Arc* arc = arc_recall(top->context, top->skipped_site, ip);
   if (arc == NULL || shadowstack_now.plain_flags == FRAME_NEVER || top->sp <= slot ||
       top == shadowstack_now.last || arc->callee->function->kind == FunctionResolver)
      return False;
   const CallSite* site = shadowstack_now.at.last_exit;
   book_skipped(top, events);
   restart_skipped(top, events);
   if (!push_plainly(arc, top, slot, FRAME_PLAIN | FrameOverSkipped, events))
      return False;
   shadowstack_now.top->return_address = site->return_address;
   shadowstack_now.limit = shadowstack_now.last;
   return True;
}

/* A call to `ip` through a stub, or not by the arc that its site took last.  */
ALWAYS_INLINE Bool call(CallSite* site, Addr ip, Addr slot, Events events)
{
   Frame* top = shadowstack_now.top;
   if (reach_stub(site, top, ip, slot, events) || call_from_stub(site, top, ip, events))
      return True;
   Arc* arc = arc_recall(top->context, site, ip);
   if (arc == NULL || top->sp <= slot || top >= shadowstack_now.limit ||
       !push_plainly(arc, top, slot, FRAME_PLAIN, events))
      return False;
   site->last_arc = arc;
   return True;
}

/* A jump to `ip` in another function that is not in the chain of tail calls.  */
ALWAYS_INLINE Bool jump(const CallSite* site, Addr ip, Addr slot, Events events)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = site->last_arc;
   if (!leads_to(arc, top, ip))
      arc = arc_recall(top->context, site, ip);
   if (arc == NULL || top->sp < slot || top >= shadowstack_now.limit ||
       top->context->function->kind == FunctionResolver ||
       transition_find_in_tail_chain(top, arc->callee->function) != NULL ||
       !push_plainly(arc, top, top->sp, FRAME_PLAIN | FrameTail, events))
      return False;
   shadowstack_now.top->return_address = shadowstack_return_address(top);
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
ALWAYS_INLINE Bool jump_in_place(Addr ip, Addr slot, Events events)
{
   Frame* top = shadowstack_now.top;
   if (shadowstack_now.limit == NULL || top->sp < slot ||
       (top->flags & ~(UInt)FrameInPlace) != FRAME_PLAIN)
      return False;
   Frame* below = frame_below(top, events);
   Function* left = top->context->function;
   Arc* arc = arc_recall(below->context, top->arc->site, ip);
   if (arc == NULL || arc->callee->function == left || left->kind == FunctionResolver ||
       top->arc->return_address == ip || goes_back(top, arc, ip) || is_long(top, events))
      return False;
   UInt level = shadowstack_now.activations[arc->callee->function_id] + 1;
   if (level - arc->callee->level > arc->callee->level_span)
      return False;
   if (has_tree(events))
      (void)node_of_callee(arc, below->node); /* while the frame is still there */
   Addr entry_sp = top->sp;
   book_left(top, events);
   shadowstack_now.activations[left->id]--;
   push_plainly(arc, below, entry_sp, FRAME_PLAIN | FrameInPlace, events);
   top->return_address = arc->return_address;
   top->jumped_from = left;
   return True;
}

/*--------------------------------------------------------------------*/

/* The most frequent case: a call by the arc that its site took last.  With
   `finds_node`, a node of the call tree that is not at hand is found.  */
ALWAYS_INLINE Bool fast_enter_by_last_arc(Addr ip, Addr slot, Events events,
                                          Bool finds_node)
{
   UWord current = shadowstack_now.at.current;
   if (UNLIKELY(current <= SYMBOLS_MAX_FUNCTION_ID))
      return False;
   Frame* top = shadowstack_now.top;
   Arc* arc = ((const CallSite*)current)->last_arc;
   return LIKELY(leads_to(arc, top, ip)) && LIKELY(top->sp > slot) &&
          LIKELY(top < shadowstack_now.limit) &&
          LIKELY(push_finding(arc, top, slot, FRAME_PLAIN, events, finds_node));
}

/* The others.  Control has come to `ip` by a call from `site`, or, if that is NULL,
   by way of the exit `exit` (NULL: not known).  */
ALWAYS_INLINE Bool fast_enter(CallSite* site, const CallSite* exit, Addr ip, Addr slot,
                              Events events)
{
   if (site != NULL)
      return call(site, ip, slot, events);
   if (exit == NULL)
      return False;
   Frame* top = shadowstack_now.top;
   if (exit->kind == SiteCall)
      return top->flags & FrameSkipped && call_from_skipped(top, ip, slot, events);
   if (exit->kind != SiteJump)
      return False;
   return has_flat(events) ? jump_in_place(ip, slot, events)
                           : jump(exit, ip, slot, events);
}

#endif
