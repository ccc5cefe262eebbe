/* SPDX-License-Identifier: GPL-2.0-or-later

   Seeding; see seed.h.

   The core's unwinder gives, for each frame from the innermost out, an address in its
   function and the stack pointer there.  A frame's slot (arch.h) lies right below its
   caller's stack pointer, as it does if we saw it entered: so its own return pops it, and
   its callees' returns do not.

   What the unwinder gives is judged in native_stack.c.  */

#include "stack/entering/seed.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/jit/jit_functions.h"
#include "guest/unwind.h"
#include "stack/entering/native_stack.h"
#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/stacks/moved_stack.h"
#include "stack/stacks/shadowstack.h"
#include "stack/threads/thread.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* Above the stack pointer of the outermost frame its own part of the stack goes on; how
   far is not known.  */
#define SPACE_ABOVE_OUTERMOST (64 * sizeof(Addr))

/* The slot of frame `i` (arch.h).  For the outermost frame it is not known, and taken
   to be too high rather than too low, so that nothing pops that frame.  */
static Addr entry_sp(const NativeStack* native, UInt i)
{
   if (i + 1 < native->n)
      return native->sps[i + 1] - sizeof(Addr);
   return SHADOWSTACK_TOP_SLOT;
}

CallSite* seed_call_site(Addr return_address, Function* caller)
{
   Addr call = arch_call_before(return_address);
   if (call == 0)
      return callsite_unknown(caller);
   Place place = address_place_of(call);
   return callsite_intern(SiteCall, call, place.file_address, return_address, caller,
                          address_line_of(call));
}

CallSite* seed_site_above_top(Addr return_address)
{
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameSkipped)
      return top->skipped_site;
   return top->context != NULL ? seed_call_site(return_address, top->context->function)
                               : NULL;
}

static Context* seeded_context(Function* function)
{
   return context_at_depth(function, ++*shadowstack_activations(function),
                           shadowstack_now.top->context);
}

/* Pushes a skipped frame.  Its owner is the nearest shown frame below; `call_return` is
   where the call returns to that led here.  */
static void seed_skipped(Function* function, Addr call_return, Addr sp,
                         Addr return_address)
{
   shadowstack_push_skipped(function, shadowstack_now.top->context,
                            seed_site_above_top(call_return), sp, return_address, 0);
}

/* The function of frame `i`, and whether it is shown.  Code of which nothing is known is
   its caller's; without a caller it is shown, unless it is JIT code.  */
static Function* function_of_frame(const NativeStack* native, UInt i, Bool* is_shown,
                                   SeedCounts* counts)
{
   Addr ip = native->ips[i];
   Place place = address_place_of(ip);
   Function* function = address_function_of(ip, &place);
   if (function == NULL && address_is_jit_code(&place))
      function = jit_functions_named_at(ip);
   if (function != NULL) {
      *is_shown = symbols_runs_as(function) == function;
      counts->skipped += !*is_shown;
      return function;
   }
   counts->anonymous++;
   if (i + 1 < native->n || address_is_jit_code(&place)) {
      *is_shown = False;
      return address_unbounded_function(ip, &place);
   }
   function = address_outermost_function(ip, &place);
   *is_shown = symbols_runs_as(function) == function;
   return function;
}

/* What is between the stacks may be others'.  */
static void seed_stack_switch(Addr end)
{
   StackRegion* region = shadowstack_region(shadowstack_now.stack);
   region->low = shadowstack_now.top->slot;
   relocation_remember(shadowstack_now.stack, region->low);
   shadowstack_push_stack_switch(end);
}

static void seed_frame(const NativeStack* native, UInt i, SeedCounts* counts)
{
   Bool is_shown;
   Function* function = function_of_frame(native, i, &is_shown, counts);
   Addr return_address = i + 1 < native->n ? native->ips[i + 1] + 1 : 0;
   Addr sp = entry_sp(native, i);
   counts->frames++;
   if (!is_shown) {
      seed_skipped(function, return_address, sp, return_address);
   } else {
      Context* context = seeded_context(function);
      Frame* frame =
         shadowstack_push(context, sp, return_address, FrameCounted | FrameRoot);
      if (i + 1 < native->n)
         shadowstack_find_node(frame, shadowstack_below(frame),
                               address_line_of(native->ips[i + 1]).inlined);
   }
   if (i + 1 == native->n && !native->is_whole)
      shadowstack_now.top->flags |= FrameOpenEnd;
   if (native_stack_is_switched(native, i))
      seed_stack_switch(native->sps[i]);
}

static void seed_thread(ThreadId thread, SeedCounts* counts)
{
   NativeStack native;
   native_stack_unwind(thread, &native);
   counts->threads++;
   if (native.n > 0)
      shadowstack_region(shadowstack_now.stack)->end =
         native.sps[native.n - 1] + SPACE_ABOVE_OUTERMOST;
   for (UInt i = native.n; i > 0; i--) {
      shadowstack_run_top(); /* makes room for new functions */
      seed_frame(&native, i - 1, counts);
   }
   shadowstack_run_top();
   native_stack_release(&native);
}

void seed_running_thread(void)
{
   SeedCounts counts = {0, 0, 0, 0};
   seed_thread(VG_(get_running_tid)(), &counts);
}

Bool seed_caller(Addr* slot, Addr* return_address)
{
   Addr ips[2], sps[2], fps[2];
   if (unwind_stack(VG_(get_running_tid)(), ips, sps, fps, 2, 0, 0) < 2)
      return False;
   *slot = sps[1] - sizeof(Addr);
   *return_address = ips[1] + 1;
   return True;
}

SeedCounts seed_all_threads(void)
{
   SeedCounts counts = {0, 0, 0, 0};
   ThreadId running = thread_running(), thread;
   Addr start, end;
   VG_(thread_stack_reset_iter)(&thread);
   while (VG_(thread_stack_next)(&thread, &start, &end)) {
      thread_switch_to(thread);
      seed_thread(thread, &counts);
   }
   thread_switch_to(running);
   return counts;
}

/*--------------------------------------------------------------------*/
/* Functions that become skipped                                       */

/* Makes a skipped frame of one whose function is skipped now.  */
static void make_skipped(Frame* frame, const Frame* below, CallSite* site)
{
   Function* function = frame->context->function;
   Addr return_address = shadowstack_return_address(frame);
   if (frame->flags & FrameCounted)
      (*shadowstack_activations(function))--;
   frame->flags &= ~(UInt)(FrameCounted | FrameRoot | FrameInPlace);
   frame->flags |= FrameSkipped;
   frame->return_address = return_address;
   frame->skipped_function = function;
   shadowstack_book_on(frame, below->context, site);
}

/* Does one frame; those below it have been done.  */
static void reapply_skip_to_frame(Frame* frame)
{
   const Frame* below = shadowstack_below(frame);
   CallSite* site = frame->arc != NULL ? frame->arc->site : NULL;
   if (below->flags & FrameSkipped)
      site = below->skipped_site;
   else if (site == NULL && below->context != NULL)
      site = callsite_unknown(below->context->function);
   if (frame->flags & FrameSkipped)
      shadowstack_book_on(frame, below->context, site);
   else if (symbols_runs_as(frame->context->function) != frame->context->function)
      make_skipped(frame, below, site);
   else if (frame->arc != NULL &&
            (frame->arc->caller != below->context || below->flags & FrameSkipped)) {
      Addr return_address = shadowstack_return_address(frame);
      frame->arc = arc_get(below->context, site, frame->context, &frame->arc->target);
      frame->return_address = return_address;
   }
   if (below->flags & FrameSkipped)
      frame->flags |= FrameOverSkipped;
   shadowstack_find_node(frame, below, site != NULL ? callsite_line(site).inlined : NULL);
}

void seed_reapply_skips(ShadowStack* stack)
{
   ShadowStack* running = shadowstack_now.stack;
   shadowstack_flush_inclusive(stack);
   shadowstack_switch_to(stack);
   UInt depth = shadowstack_depth(stack);
   Frame* frame = shadowstack_bottom(stack);
   for (UInt i = 0; i < depth; i++) {
      frame = shadowstack_above(frame);
      if (!(frame->flags & FrameBarrier))
         reapply_skip_to_frame(frame);
   }
   /* Between superblocks of a function.  A call under way finds its callee itself.  */
   if (shadowstack_pending_call() == NULL)
      shadowstack_run_top();
   else
      shadowstack_counters_moved();
   shadowstack_switch_to(running);
}
