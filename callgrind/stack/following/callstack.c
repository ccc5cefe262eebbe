/* SPDX-License-Identifier: GPL-2.0-or-later

   What generated code calls; see callstack.h.

   Each helper tries the fast path, first the most frequent case, then the others, and
   then goes the slow path (transition.c).  It exists once for each variant,
   because the fast path does (fast_frame.h); instrument/ takes the ones that fit.  */

#include "stack/following/callstack.h"

#include "options/options.h"
#include "stack/allocations/allocation_calls.h"
#include "stack/following/fast_enter.h"
#include "stack/following/fast_return.h"
#include "stack/following/transition.h"
#include "stack/frames/shadowstack_repairs.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

Function* callstack_continuing_function(void)
{
   return shadowstack_pending_call() == NULL ? shadowstack_function(shadowstack_now.top)
                                             : NULL;
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

CallSite* callstack_site_returned_to(void)
{
   return shadowstack_above(shadowstack_now.top)->arc->site;
}

Arc* callstack_arc_known(Addr ip)
{
   const CallSite* site = shadowstack_pending_call();
   return site != NULL && site->last_arc->last_target == ip ? site->last_arc : NULL;
}

/* The site of a jump that goes on to `ip` from a stub that was passed, by the arc that it
   took last; NULL if that is not so.  A call, or such a jump, is under way.  */
ALWAYS_INLINE CallSite* jump_by_last_arc(Addr ip)
{
   CallSite* site = shadowstack_pending_call();
   return site->kind == SiteJump && leads_to(site->last_arc, shadowstack_now.top, ip)
             ? site
             : NULL;
}

/* The host target of the call under way, if it takes the arc that its site took last;
   NULL if that has none.  */
ALWAYS_INLINE const void* host_target_of_last_arc(void)
{
   const CallSite* site = shadowstack_pending_call();
   return LIKELY(site != NULL) && arc_has_host_target(site->last_arc)
             ? site->last_arc->host_target
             : NULL;
}

ALWAYS_INLINE void enter(Addr ip, Addr sp, HelperVariant variant)
{
   CallSite* site = shadowstack_pending_call();
   CallSite* exit = shadowstack_now.at.last_exit;
   if (UNLIKELY(shadowstack_now.guest_state == shadowstack_no_guest_state)) {
      ThreadId thread = VG_(get_running_tid)();
      ip = VG_(get_IP)(thread);
      sp = VG_(get_SP)(thread);
   } else if (fast_enter(site, exit, ip, arch_slot(sp), variant))
      return;
   Block* block = block_at(ip);
   if (UNLIKELY(block == NULL)) {
      /* Nobody's cost: the next superblock calls again.  */
      shadowstack_count_repair(RepairUnknownBlock);
      shadowstack_now.counters = context_scratch_counters();
      shadowstack_now.at.current = 0;
      return;
   }
   transition_enter(block, site, sp);
}

ALWAYS_INLINE const void* leave(Addr target, const UChar* guest_state, CallSite* site,
                                HelperVariant variant)
{
   const void* host_target = NULL;
   Addr sp = guest_sp(guest_state);
   if (!ARCH_STATE_IS_PASSED &&
       UNLIKELY(shadowstack_now.guest_state == shadowstack_no_guest_state))
      tl_assert2(sp == VG_(get_SP)(VG_(get_running_tid)()),
                 "this core keeps the guest's state elsewhere");
   shadowstack_now.guest_state = guest_state;
   allocation_calls_return(target, sp);
   if (!fast_return_within_skipped(sp, site) &&
       !fast_return_to_skipped(target, sp, variant) &&
       !fast_return_from_tail_calls(target, sp, &host_target, variant))
      transition_return(target, sp, site);
   return host_target;
}

/* The helpers for one set of events.  All but the most frequent case is in functions
   of its own, so that the most frequent one saves no registers.  With a tree, it
   finds no node that is not at hand.  */
#define MAKE_HELPERS(NAME, EVENTS)                                                       \
   static __attribute__((noinline)) void enter_##NAME(Addr ip, Addr sp)                  \
   {                                                                                     \
      if (!has_tree(EVENTS) || !fast_enter_by_last_arc(ip, arch_slot(sp), EVENTS, True)) \
         enter(ip, sp, EVENTS);                                                          \
   }                                                                                     \
   static __attribute__((noinline)) void enter_by_stub_##NAME(Addr ip, Addr sp)          \
   {                                                                                     \
      const CallSite* site = shadowstack_pending_call();                                 \
      if (site == NULL || !call_by_stub(site, ip, arch_slot(sp), EVENTS))                \
         enter_##NAME(ip, sp);                                                           \
   }                                                                                     \
   static void callstack_enter_##NAME(void)                                              \
   {                                                                                     \
      Addr ip = guest_ip(shadowstack_now.guest_state);                                   \
      Addr sp = guest_sp(shadowstack_now.guest_state);                                   \
      if (!fast_enter_by_last_arc(ip, arch_slot(sp), EVENTS, False))                     \
         enter_by_stub_##NAME(ip, sp);                                                   \
   }                                                                                     \
   static __attribute__((noinline))                                                      \
   const void* jump_on_##NAME(Addr ip, Addr sp, const void* host_target)                 \
   {                                                                                     \
      CallSite* site = jump_by_last_arc(ip);                                             \
      return site != NULL && jump_from_passed_stub(site, ip, arch_slot(sp), EVENTS)      \
                ? host_target                                                            \
                : NULL;                                                                  \
   }                                                                                     \
   static const void* callstack_call_on_##NAME(void)                                     \
   {                                                                                     \
      const void* host_target = host_target_of_last_arc();                               \
      Addr ip = guest_ip(shadowstack_now.guest_state);                                   \
      Addr sp = guest_sp(shadowstack_now.guest_state);                                   \
      if (host_target == NULL)                                                           \
         return NULL;                                                                    \
      return LIKELY(fast_enter_by_last_arc(ip, arch_slot(sp), EVENTS, False))            \
                ? host_target                                                            \
                : jump_on_##NAME(ip, sp, host_target);                                   \
   }                                                                                     \
   static __attribute__((noinline)) void pass_stub_of_jump_##NAME(Addr ip, Addr sp,      \
                                                                  ULong cost)            \
   {                                                                                     \
      if (is_flat() || !pass_stub_of_jump(ip, arch_slot(sp), cost, EVENTS))              \
         callstack_enter_##NAME();                                                       \
   }                                                                                     \
   static void callstack_pass_stub_##NAME(Addr ip, ULong cost)                           \
   {                                                                                     \
      Addr sp = guest_sp(shadowstack_now.guest_state);                                   \
      if (!pass_stub(ip, arch_slot(sp), cost, EVENTS))                                   \
         pass_stub_of_jump_##NAME(ip, sp, cost);                                         \
   }                                                                                     \
   static __attribute__((noinline))                                                      \
   const void* leave_##NAME(Addr target, const UChar* guest_state, CallSite* site)       \
   {                                                                                     \
      return leave(target, guest_state, site, EVENTS);                                   \
   }                                                                                     \
   static ARCH_TAKES_STATE const void* callstack_return_##NAME(                          \
      Addr target, const UChar* guest_state, CallSite* site)                             \
   {                                                                                     \
      const void* host_target;                                                           \
      if (fast_return_from_plain(target, guest_state, &host_target, EVENTS))             \
         return host_target;                                                             \
      return leave_##NAME(target, guest_state, site);                                    \
   }                                                                                     \
   ARCH_PASS_STATE(callstack_return_##NAME, 1)

#define HELPERS(NAME)                                                                    \
   {callstack_enter_##NAME, callstack_call_on_##NAME, callstack_pass_stub_##NAME,        \
    ARCH_STATE_HELPER(callstack_return_##NAME)}

/* With and without the call tree, with and without the timeline.  */
#define MAKE_HELPERS_OF(NAME, EVENTS)                                                    \
   MAKE_HELPERS(NAME, EVENTS)                                                            \
   MAKE_HELPERS(NAME##_and_tree, (EVENTS) | AndTree)                                     \
   MAKE_HELPERS(NAME##_timed, (EVENTS) | AndTimeline)                                    \
   MAKE_HELPERS(NAME##_timed_and_tree, (EVENTS) | AndTimeline | AndTree)
#define HELPERS_OF(NAME, EVENTS)                                                         \
   [EVENTS] = HELPERS(NAME), [(EVENTS) | AndTree] = HELPERS(NAME##_and_tree),            \
   [(EVENTS) | AndTimeline] = HELPERS(NAME##_timed),                                     \
   [(EVENTS) | AndTimeline | AndTree] = HELPERS(NAME##_timed_and_tree)

MAKE_HELPERS_OF(one, OneEvent)
MAKE_HELPERS_OF(three, ThreeEvents)
MAKE_HELPERS_OF(four, FourEvents)
MAKE_HELPERS_OF(five, FiveEvents)
MAKE_HELPERS_OF(six, SixEvents)
MAKE_HELPERS_OF(eight, EightEvents)
MAKE_HELPERS_OF(several, SeveralEvents)
MAKE_HELPERS_OF(one_frequent, OneFrequentEvent)

static HelperVariant counted_events(void)
{
   if (cost_n_events() == 1)
      return OneEvent;
   static const HelperVariant known[] = {OneFrequentEvent, ThreeEvents, FourEvents,
                                         FiveEvents,       SixEvents,   EightEvents};
   for (UInt i = 0; i < sizeof known / sizeof known[0]; i++)
      if (cost_n_frequent() == n_frequent(known[i]) &&
          cost_n_paired() == n_paired(known[i]))
         return known[i];
   return SeveralEvents;
}

CallstackHelpers callstack_helpers(void)
{
   static const CallstackHelpers helpers[] = {
      HELPERS_OF(one, OneEvent),          HELPERS_OF(three, ThreeEvents),
      HELPERS_OF(four, FourEvents),       HELPERS_OF(five, FiveEvents),
      HELPERS_OF(six, SixEvents),         HELPERS_OF(eight, EightEvents),
      HELPERS_OF(several, SeveralEvents), HELPERS_OF(one_frequent, OneFrequentEvent),
   };
   return helpers[counted_events() | (options.call_tree ? AndTree : 0) |
                  (options.timeline ? AndTimeline : 0)];
}
