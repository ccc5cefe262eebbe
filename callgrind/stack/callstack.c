/* SPDX-License-Identifier: GPL-2.0-or-later

   What generated code calls; see callstack.h.

   Here are the short ways for what is plain: a call by an arc that was taken
   before, the way to it through a PLT stub, a tail call, and the return from these.
   They do what the long ways in transition.c do, no more, and hand over to those
   whatever they do not know.  A call and its return are 72 instructions together,
   82 with caches: count again after every change.

   Each exists for one event, as it is by default; for several; and for those sets of
   which only the first three are frequent, with caches for example.  What differs is how
   clocks are copied; instrument.c takes the ones that fit.  Frames note the clock of
   frequent events only (rare_sync.h).  */

#include "stack/callstack.h"

#include "options/options.h"
#include "stack/rare_sync.h"
#include "stack/transition.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* A constant wherever it is passed on, so that each function is compiled for each.  */
typedef enum {
   OneEvent,
   ThreeEvents, /* that are frequent, and rare ones behind */
   SeveralEvents,
   AndTree = 4 /* besides one of these: --call-tree */
} Events;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE Bool has_tree(Events events) { return (events & AndTree) != 0; }

ALWAYS_INLINE Events without_tree(Events events) { return events & ~(UInt)AndTree; }

ALWAYS_INLINE Bool is_one(Events events) { return without_tree(events) == OneEvent; }

ALWAYS_INLINE SizeT frame_size(Events events)
{
   return is_one(events) ? sizeof(Frame) + sizeof(ULong) : shadowstack_frame_size;
}

ALWAYS_INLINE Frame* plain_below(Frame* frame, Events events)
{
   return (Frame*)((UChar*)frame - frame_size(events));
}

/* Notes the clock of frequent events.  */
ALWAYS_INLINE void note_frequent(ULong* to, Events events)
{
   switch (without_tree(events)) {
   case OneEvent: to[0] = cost_clock[0]; break;
   case ThreeEvents:
      cost_copy_pairs(to, cost_clock, 0, 2);
      to[2] = cost_clock[2];
      break;
   default:
      cost_copy_pairs(to, cost_clock, 0, cost_rare.begin);
      cost_copy_pairs(to, cost_clock, cost_rare.end, cost_n_events());
   }
}

/* Adds what has passed of frequent events since the clock stood at `begin`.  */
ALWAYS_INLINE void add_frequent(ULong* to, const ULong* begin, Events events)
{
   switch (without_tree(events)) {
   case OneEvent: to[0] += cost_clock[0] - begin[0]; break;
   case ThreeEvents:
      cost_add_span_pairs(to, cost_clock, begin, 0, 2);
      to[2] += cost_clock[2] - begin[2];
      break;
   default:
      cost_add_span_pairs(to, cost_clock, begin, 0, cost_rare.begin);
      cost_add_span_pairs(to, cost_clock, begin, cost_rare.end, cost_n_events());
   }
}

ALWAYS_INLINE void note_rare(ULong* to)
{
   cost_copy_pairs(to, cost_clock, cost_rare.begin, cost_rare.end);
}

ALWAYS_INLINE void add_rare(ULong* to, const ULong* begin)
{
   cost_add_span_pairs(to, cost_clock, begin, cost_rare.begin, cost_rare.end);
}

/* Has `frame` noted the clock of rare events?  Where it has not, none happened since, and
   there is nothing to add or to note.  */
ALWAYS_INLINE Bool has_noted_rare(const Frame* frame, Events events)
{
   return !is_one(events) && UNLIKELY(frame <= shadowstack_now.rare_synced);
}

/* Books what a bare frame has cost since it noted the clock last.  */
ALWAYS_INLINE void book_so_far(Frame* bare, Events events)
{
   add_frequent(bare->arc->inclusive, bare->entry, events);
   if (has_noted_rare(bare, events))
      add_rare(bare->arc->inclusive, bare->entry);
}

ALWAYS_INLINE void note_so_far(Frame* bare, Events events)
{
   note_frequent(bare->entry, events);
   if (has_noted_rare(bare, events))
      note_rare(bare->entry);
}

/* Books what the topmost frame has cost, which is left.  */
ALWAYS_INLINE void book_left(Frame* frame, Events events)
{
   add_frequent(frame->arc->inclusive, frame->entry, events);
   if (has_noted_rare(frame, events)) {
      add_rare(frame->arc->inclusive, frame->entry);
      shadowstack_now.rare_synced = plain_below(frame, events);
   }
}

/* Another node of the call tree runs from now on.  While the last one ran, something rare
   may have happened only if the frame on top had noted rare events (rare_sync.h).  */
ALWAYS_INLINE void run_node(TreeNode* node, Bool may_have_rare, Events events)
{
   if (!has_tree(events))
      return;
   add_frequent(calltree_now.node->self, calltree_now.booked, events);
   note_frequent(calltree_now.booked, events);
   if (may_have_rare) {
      add_rare(calltree_now.node->self, calltree_now.booked);
      note_rare(calltree_now.booked);
   }
   calltree_now.node = node;
   if (UNLIKELY(calltree_has_inlined))
      calltree_count_inlined(!(shadowstack_now.top->flags & FrameSkipped));
}

/* The node of what is called by `arc` from `caller`, if it is at hand; otherwise NULL.  */
ALWAYS_INLINE TreeNode* known_node_of_callee(Arc* arc, TreeNode* caller)
{
   /* In a recursion one arc leads from ever other nodes to ever other ones.  */
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
   ArcNodes* nodes = arc_nodes(arc);
   nodes->callee = calltree_child(node, arc->callee->function, NodeCalled);
   nodes->caller = caller;
   return nodes->callee;
}

/* The guest's registers are in its state at the start of a superblock, where all
   that VEX keeps in host registers has been written back.  */
static inline Addr guest_sp(const UChar* state)
{
   return *(const Addr*)(state + GUEST_SP_OFFSET);
}

static inline Addr guest_ip(const UChar* state)
{
   return *(const Addr*)(state + GUEST_IP_OFFSET);
}

Function* callstack_continuing_function(void)
{
   return shadowstack_pending_call() == NULL ? shadowstack_function(shadowstack_now.top)
                                             : NULL;
}

/* True if `arc` is the one from the topmost frame to `ip`.  */
static inline Bool leads_to(const Arc* arc, const Frame* top, Addr ip)
{
   return arc != NULL && arc->last_target == ip && arc->caller == top->context;
}

/* Takes `arc`; False if its callee would not be at the recursion level that it is an arc
   to, or if its node has to be found and that is not wanted here.  Leaves the frame's
   return address unset.  */
ALWAYS_INLINE Bool push_finding(Arc* arc, Frame* top, Addr sp, UInt flags, Events events,
                                Bool finds_node)
{
   Context* callee = arc->callee;
   UInt id = callee->function_id;
   UInt level = shadowstack_now.activations[id] + 1;
   if (level - callee->level > callee->level_span)
      return False;
   /* It may prune, and looks at the frames then: there is no new one yet.  */
   TreeNode* node = !has_tree(events) ? NULL
                    : finds_node      ? node_of_callee(arc, top->node)
                                      : known_node_of_callee(arc, top->node);
   if (has_tree(events) && node == NULL)
      return False;
   /* First what the next superblock waits for.  */
   Frame* frame = (Frame*)((UChar*)top + frame_size(events));
   shadowstack_now.counters = callee->counters;
   shadowstack_now.at.current = id;
   shadowstack_now.top = frame;
   shadowstack_now.activations[id] = level;
   arc->calls++;
   frame->sp = sp;
   frame->context = callee;
   frame->arc = arc;
   frame->flags = flags;
   note_frequent(frame->entry, events);
   if (has_tree(events)) {
      frame->node = node;
      node->calls++;
      run_node(node, has_noted_rare(top, events), events);
   }
   return True;
}

ALWAYS_INLINE Bool push_plainly(Arc* arc, Frame* top, Addr sp, UInt flags, Events events)
{
   return push_finding(arc, top, sp, flags, events, True);
}

/* A call to `ip` has come to a stub that it came to before.  */
ALWAYS_INLINE Bool reach_stub(const CallSite* site, const Frame* top, Addr ip, Addr sp,
                              Events events)
{
   Arc* arc = site->stub_arc;
   if (shadowstack_now.limit == NULL || !leads_to(arc, top, ip))
      return False;
   shadowstack_now.at.stub = arc;
   shadowstack_now.at.stub_sp = sp;
   note_frequent(shadowstack_now.at.stub_clock, events);
   if (!is_one(events))
      note_rare(shadowstack_now.at.stub_clock);
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
   if (top->sp > at_stub.stub_sp && top < shadowstack_now.limit &&
       push_plainly(arc, top, at_stub.stub_sp, FRAME_PLAIN, events)) {
      add_frequent(stub->inclusive, at_stub.stub_clock, events);
      if (!is_one(events))
         add_rare(stub->inclusive, at_stub.stub_clock);
      return True;
   }
   shadowstack_now.at = at_stub;
   shadowstack_counters_moved();
   return False;
}

/* A call to `ip` from skipped code: it is the call of the nearest function that is
   shown.  */
ALWAYS_INLINE Bool call_from_skipped(Frame* top, Addr ip, Addr sp, Events events)
{
   Arc* arc = arc_recall(top->context, top->skipped_site, ip);
   if (arc == NULL || shadowstack_now.plain_flags == FRAME_NEVER || top->sp <= sp ||
       top == shadowstack_now.last || arc->callee->function->kind == FunctionResolver)
      return False;
   const CallSite* site = shadowstack_now.at.last_exit;
   book_so_far(top, events);
   note_so_far(top, events);
   if (!push_plainly(arc, top, sp, FRAME_PLAIN | FrameOverSkipped, events))
      return False;
   shadowstack_now.top->return_address = site->return_address;
   shadowstack_now.limit = shadowstack_now.last;
   return True;
}

/* A call to `ip` that is not straight, or not by the arc that its site took
   last.  */
ALWAYS_INLINE Bool call(CallSite* site, Addr ip, Addr sp, Events events)
{
   Frame* top = shadowstack_now.top;
   if (reach_stub(site, top, ip, sp, events) || call_from_stub(site, top, ip, events))
      return True;
   Arc* arc = arc_recall(top->context, site, ip);
   if (arc == NULL || top->sp <= sp || top >= shadowstack_now.limit ||
       !push_plainly(arc, top, sp, FRAME_PLAIN, events))
      return False;
   site->last_arc = arc;
   return True;
}

/* A jump to `ip` in another function that is not in the chain of tail calls.  */
ALWAYS_INLINE Bool jump(const CallSite* site, Addr ip, Addr sp, Events events)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = site->last_arc;
   if (!leads_to(arc, top, ip))
      arc = arc_recall(top->context, site, ip);
   if (arc == NULL || top->sp < sp || top >= shadowstack_now.limit ||
       top->context->function->kind == FunctionResolver ||
       transition_find_in_tail_chain(top, arc->callee->function) != NULL ||
       !push_plainly(arc, top, top->sp, FRAME_PLAIN | FrameTail, events))
      return False;
   shadowstack_now.top->return_address = shadowstack_return_address(top);
   return True;
}

ALWAYS_INLINE Bool enter_plainly(CallSite* site, const CallSite* exit, Addr ip, Addr sp,
                                 Events events)
{
   if (site != NULL)
      return call(site, ip, sp, events);
   if (exit == NULL)
      return False;
   Frame* top = shadowstack_now.top;
   if (exit->kind == SiteCall)
      return top->flags & FrameSkipped && call_from_skipped(top, ip, sp, events);
   return exit->kind == SiteJump && jump(exit, ip, sp, events);
}

ALWAYS_INLINE void enter(Addr ip, Addr sp, Events events)
{
   CallSite* site = shadowstack_pending_call();
   const CallSite* exit = shadowstack_now.at.last_exit;
   if (UNLIKELY(shadowstack_now.guest_state == shadowstack_no_guest_state)) {
      ThreadId thread = VG_(get_running_tid)();
      ip = VG_(get_IP)(thread);
      sp = VG_(get_SP)(thread);
   } else if (enter_plainly(site, exit, ip, sp, events))
      return;
   Block* block = block_at(ip);
   if (UNLIKELY(block == NULL)) {
      /* Nobody's cost: the next superblock asks again.  */
      shadowstack_count_repair(RepairUnknownBlock);
      shadowstack_now.counters = context_scratch_counters();
      shadowstack_now.at.current = 0;
      return;
   }
   transition_enter(block, site, sp);
}

/* True if it was the commonest case.  */
ALWAYS_INLINE Bool enter_by_last_arc(Addr ip, Addr sp, Events events, Bool finds_node)
{
   UWord where = shadowstack_now.at.current;
   if (UNLIKELY(where <= SYMBOLS_MAX_FUNCTION_ID))
      return False;
   Frame* top = shadowstack_now.top;
   Arc* arc = ((const CallSite*)where)->last_arc;
   return LIKELY(leads_to(arc, top, ip)) && LIKELY(top->sp > sp) &&
          LIKELY(top < shadowstack_now.limit) &&
          LIKELY(push_finding(arc, top, sp, FRAME_PLAIN, events, finds_node));
}

void callstack_enter_block(Block* block)
{
   transition_enter(block, shadowstack_pending_call(),
                    VG_(get_SP)(VG_(get_running_tid)()));
}

void callstack_fall_into(Block* block)
{
   transition_enter(block, NULL, VG_(get_SP)(VG_(get_running_tid)()));
}

/* The return from tail calls and from the plain call that they followed.  */
ALWAYS_INLINE Bool return_from_tail_calls(Addr target, Addr sp, Events events)
{
   const UInt plain = shadowstack_now.plain_flags;
   Frame* left = shadowstack_now.top;
   if (plain == FRAME_NEVER)
      return False;
   while (left->flags == (plain | FrameTail))
      left = plain_below(left, events);
   if (left->flags != plain || left->arc->return_address != target ||
       shadowstack_sp_after(left->sp) != sp)
      return False;
   Frame* below = plain_below(left, events);
   Bool may_have_rare = has_noted_rare(shadowstack_now.top, events);
   for (Frame* frame = shadowstack_now.top; frame != below;
        frame = plain_below(frame, events)) {
      book_left(frame, events);
      shadowstack_now.activations[frame->context->function_id]--;
   }
   shadowstack_now.top = below;
   shadowstack_now.at.current = below->context->function_id;
   shadowstack_now.counters = below->context->counters;
   run_node(below->node, may_have_rare, events);
   return True;
}

/* The return from a function that skipped code called.  */
ALWAYS_INLINE Bool return_to_skipped(Addr target, Addr sp, Events events)
{
   Frame* top = shadowstack_now.top;
   if (shadowstack_now.plain_flags == FRAME_NEVER ||
       top->flags != (FRAME_PLAIN | FrameOverSkipped) || top->return_address != target ||
       shadowstack_sp_after(top->sp) != sp)
      return False;
   Frame* below = plain_below(top, events);
   Bool may_have_rare = has_noted_rare(top, events);
   book_left(top, events);
   shadowstack_now.activations[top->context->function_id]--;
   shadowstack_now.top = below;
   note_so_far(below, events);
   shadowstack_now.at.current = symbols_runs_as(below->skipped_function)->id;
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.limit = NULL;
   run_node(below->node, may_have_rare, events);
   return True;
}

ALWAYS_INLINE void leave(Addr target, const UChar* guest_state, CallSite* site,
                         Events events)
{
   shadowstack_now.guest_state = guest_state;
   Addr sp = guest_sp(guest_state);
   const Frame* top = shadowstack_now.top;
   if ((top->flags & (FrameSkipped | FrameOpenEnd)) == FrameSkipped &&
       !shadowstack_is_left(top->sp, sp) && shadowstack_now.at.moved == 0) {
      shadowstack_now.at.last_exit = site; /* from skipped code to skipped code */
      return;
   }
   if (return_to_skipped(target, sp, events))
      return;
   if (!return_from_tail_calls(target, sp, events))
      transition_return(target, sp, site);
}

/* True if it was the commonest case.  */
ALWAYS_INLINE Bool leave_plain_frame(Addr target, const UChar* guest_state, Events events)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = top->arc;
   if (UNLIKELY(top->flags != shadowstack_now.plain_flags) ||
       UNLIKELY(arc->return_address != target) ||
       UNLIKELY(shadowstack_sp_after(top->sp) != guest_sp(guest_state)))
      return False;
   /* A plain frame lies on one that is shown.  */
   Frame* below = plain_below(top, events);
   Context* context = below->context;
   shadowstack_now.top = below;
   shadowstack_now.counters = context->counters;
   shadowstack_now.at.current = context->function_id;
   shadowstack_now.activations[top->context->function_id]--;
   Bool may_have_rare = has_noted_rare(top, events);
   book_left(top, events);
   run_node(below->node, may_have_rare, events);
   return True;
}

/* What generated code calls, made for each set of events.  What is not the commonest case
   is apart, so that that one needs no registers saved.  With a tree, a node that has to be
   found is not.  */
#define MAKE_HELPERS(NAME, EVENTS)                                                       \
   static __attribute__((noinline)) void enter_##NAME(Addr ip, Addr sp)                  \
   {                                                                                     \
      if (!has_tree(EVENTS) || !enter_by_last_arc(ip, sp, EVENTS, True))                 \
         enter(ip, sp, EVENTS);                                                          \
   }                                                                                     \
   static void callstack_enter_##NAME(void)                                              \
   {                                                                                     \
      Addr ip = guest_ip(shadowstack_now.guest_state);                                   \
      Addr sp = guest_sp(shadowstack_now.guest_state);                                   \
      if (!enter_by_last_arc(ip, sp, EVENTS, False))                                     \
         enter_##NAME(ip, sp);                                                           \
   }                                                                                     \
   static __attribute__((noinline)) void leave_##NAME(                                   \
      Addr target, const UChar* guest_state, CallSite* site)                             \
   {                                                                                     \
      leave(target, guest_state, site, EVENTS);                                          \
   }                                                                                     \
   static void callstack_return_##NAME(Addr target, const UChar* guest_state,            \
                                       CallSite* site)                                   \
   {                                                                                     \
      if (!leave_plain_frame(target, guest_state, EVENTS))                               \
         leave_##NAME(target, guest_state, site);                                        \
   }

#define HELPERS(NAME) {callstack_enter_##NAME, callstack_return_##NAME}

MAKE_HELPERS(one, OneEvent)
MAKE_HELPERS(three, ThreeEvents)
MAKE_HELPERS(several, SeveralEvents)
MAKE_HELPERS(one_and_tree, OneEvent | AndTree)
MAKE_HELPERS(three_and_tree, ThreeEvents | AndTree)
MAKE_HELPERS(several_and_tree, SeveralEvents | AndTree)

static Events counted_events(void)
{
   if (cost_n_events() == 1)
      return OneEvent;
   return cost_has_lone_third() ? ThreeEvents : SeveralEvents;
}

CallstackHelpers callstack_helpers(void)
{
   static const CallstackHelpers helpers[] = {
      [OneEvent] = HELPERS(one),
      [ThreeEvents] = HELPERS(three),
      [SeveralEvents] = HELPERS(several),
      [OneEvent | AndTree] = HELPERS(one_and_tree),
      [ThreeEvents | AndTree] = HELPERS(three_and_tree),
      [SeveralEvents | AndTree] = HELPERS(several_and_tree),
   };
   return helpers[counted_events() | (options.call_tree ? AndTree : 0)];
}
