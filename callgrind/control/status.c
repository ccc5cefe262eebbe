/* SPDX-License-Identifier: GPL-2.0-or-later

   See status.h.

   A thread's frames are printed with the outermost first.  A function is followed by the
   calls and the inclusive cost of the arc from it to the next one; the innermost has
   none.  Frames that are not shown in a profile are not shown here either.  */

#include "control/status.h"

#include "base/text.h"
#include "control/parts/dump.h"
#include "instrument/is_on.h"
#include "model/arc.h"
#include "model/block.h"
#include "model/context.h"
#include "stack/stacks/shadowstack.h"
#include "stack/threads/thread.h"

#include "pub_tool_gdbserver.h"
#include "pub_tool_mallocfree.h"

static UInt n_live;

static void count_thread(ThreadId thread, ShadowStack* stack)
{
   (void)thread, (void)stack;
   n_live++;
}

void status_print(void)
{
   if (!instrumentation_is_on()) {
      VG_(gdb_printf)("No status available as instrumentation is switched off\n");
      return;
   }
   n_live = 0;
   thread_for_each_live(count_thread);
   VG_(gdb_printf)("%u thread(s) running.\n", n_live);
}

/*--------------------------------------------------------------------*/

static void print_costs(const ULong* cost)
{
   for (UInt i = 0; i < cost_n_events(); i++)
      VG_(gdb_printf)(i == 0 ? "%llu" : " %llu", cost[cost_listed(i)]);
   VG_(gdb_printf)("\n");
}

static Bool is_shown(const Frame* frame)
{
   return frame->context != NULL &&
          !(frame->flags & (FrameSkipped | FrameInner | FrameStackSwitch));
}

/* The frames that are shown, outermost first; the caller frees the array.  */
static const Frame** shown_frames(const ShadowStack* stack, UInt* n)
{
   const Frame** frames =
      VG_(malloc)("status.frames", (shadowstack_depth(stack) + 1) * sizeof *frames);
   *n = 0;
   for (Frame* frame = shadowstack_bottom(stack);; frame = shadowstack_above(frame)) {
      if (is_shown(frame))
         frames[(*n)++] = frame;
      if (frame == shadowstack_top_of(stack))
         return frames;
   }
}

/* The names come from the program, and what is printed goes to a terminal.  */
static void print_name(const HChar* before, const HChar* name)
{
   HChar* printable = text_printable("status.name", name);
   VG_(gdb_printf)("%s%s", before, printable);
   VG_(free)(printable);
}

static void print_function(ThreadId thread, UInt number, const Context* context)
{
   VG_(gdb_printf)("function-%u-%u:", thread, number);
   print_name(" ", context->function->name);
   if (context->level > 1)
      VG_(gdb_printf)("'%u", context->level);
   UInt n = context->chain != NULL ? context->function->n_callers : 0;
   for (const CallChain* caller = n > 0 ? context->chain->callers : NULL;
        caller != NULL && n > 0; caller = caller->callers, n--)
      print_name("'", caller->function->name);
   VG_(gdb_printf)("\n");
}

/* Prints the arc by which the frame after frame `number` was entered.  A frame that was
   not called has none: a signal handler, or what was active when instrumentation
   began.  */
static void print_arc(ThreadId thread, UInt number, const Arc* arc)
{
   static const ULong nothing[COST_MAX_EVENTS];
   VG_(gdb_printf)("calls-%u-%u: %llu\n", thread, number,
                   arc != NULL ? arc_shown_calls(arc) : 0);
   VG_(gdb_printf)("events-%u-%u: ", thread, number);
   print_costs(arc != NULL ? arc->inclusive : nothing);
}

static void print_thread(ThreadId thread, ShadowStack* stack)
{
   ULong cost[COST_MAX_EVENTS];
   UInt n;
   const Frame** frames = shown_frames(stack, &n);
   thread_cost_of(stack, cost);
   VG_(gdb_printf)("events-%u: ", thread);
   print_costs(cost);
   VG_(gdb_printf)("frames-%u: %u\n", thread, n);
   for (UInt i = 0; i < n; i++) {
      print_function(thread, i, frames[i]->context);
      if (i + 1 < n)
         print_arc(thread, i, frames[i + 1]->arc);
   }
   VG_(free)(frames);
}

static void print_number(ThreadId thread, ShadowStack* stack)
{
   (void)stack;
   VG_(gdb_printf)(" %u", thread);
}

void status_print_internal(void)
{
   VG_(gdb_printf)("instrumentation: %s\n", instrumentation_is_on() ? "on" : "off");
   if (!instrumentation_is_on())
      return;
   thread_for_each(shadowstack_flush_inclusive); /* of open frames, too */
   VG_(gdb_printf)(
      "executed-bbs: %llu\nexecuted-calls: %llu\ndistinct-bbs: %u\ndistinct-calls: %u\n",
      thread_blocks_run(), arc_calls_so_far(), block_count(), arc_count());
   VG_(gdb_printf)("distinct-functions: %u\ndistinct-contexts: %u\n",
                   symbols_n_functions(), context_count());
   VG_(gdb_printf)("events:");
   for (UInt i = 0; i < cost_n_events(); i++)
      VG_(gdb_printf)(" %s", cost_event_name(cost_listed(i)));
   VG_(gdb_printf)("\npart: %u\nthreads:", dump_count());
   thread_for_each_live(print_number);
   VG_(gdb_printf)("\ncurrent-tid: %u\n", thread_running());
   thread_for_each_live(print_thread);
}
