/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads and signals; see thread.h.

   Owns the shadow stacks.  Only one guest thread runs at a time; the core tells
   when another one takes over, and the words that generated code works on
   (shadowstack_now, cost_clock) are swapped then.  */

#include "stack/thread.h"

#include "options.h"
#include "stack/fault.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

static ShadowStack** stacks; /* by ThreadId; NULL where no thread ever was */
static ThreadId running_thread = VG_INVALID_THREADID;
static ULong blocks_run;

ShadowStack* thread_stack(ThreadId thread)
{
   tl_assert(thread < VG_N_THREADS);
   if (stacks[thread] == NULL)
      stacks[thread] = shadowstack_new();
   return stacks[thread];
}

static void switch_to(ThreadId thread)
{
   if (thread == running_thread)
      return;
   shadowstack_switch_to(thread_stack(thread));
   running_thread = thread;
}

static void on_start_client_code(ThreadId thread, ULong blocks_dispatched)
{
   blocks_run = blocks_dispatched;
   switch_to(thread);
}

static void on_stop_client_code(ThreadId thread, ULong blocks_dispatched)
{
   (void)thread;
   blocks_run = blocks_dispatched;
}

/* A new thread collects if its creator does.  The thread id may have been used
   before: whatever is left of that thread has been booked at its exit.  */
static void on_thread_create(ThreadId creator, ThreadId child)
{
   Bool collecting = creator == VG_INVALID_THREADID
                        ? options.collect_at_start
                        : thread_stack(creator)->is_collecting;
   shadowstack_set_collecting(thread_stack(child), collecting);
}

static void on_thread_exit(ThreadId thread) { shadowstack_clear(thread_stack(thread)); }

/*--------------------------------------------------------------------*/
/* Signals                                                             */

/* A handler runs on frames of its own above a barrier; what it interrupted goes
   on untouched when it returns.  */
static void interrupt(const Interruption* interruption, Addr sp)
{
   ShadowStack* stack = shadowstack_now.stack;
   shadowstack_hold_clock();
   if (stack->n_interruptions == stack->interruption_capacity) {
      stack->interruption_capacity =
         stack->interruption_capacity == 0 ? 8 : stack->interruption_capacity * 2;
      stack->interruptions =
         VG_(realloc)("thread.interruptions", stack->interruptions,
                      stack->interruption_capacity * sizeof(Interruption));
   }
   stack->interruptions[stack->n_interruptions++] = *interruption;
   shadowstack_push(NULL, sp, 0, FrameBarrier);
   shadowstack_run_top();
}

static void resume(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   if (stack->n_interruptions == 0)
      return; /* instrumentation began inside the handler */
   shadowstack_hold_clock();
   const Interruption in = stack->interruptions[stack->n_interruptions - 1];
   while (!(shadowstack_now.top->flags & FrameBarrier))
      shadowstack_pop();
   shadowstack_pop();
   shadowstack_run_top();
   shadowstack_now.at = in.interrupted;
   shadowstack_counters_moved();
}

static void on_signal(ThreadId thread, Int signal, Bool on_alt_stack)
{
   switch_to(thread);
   fault_take_back(signal, VG_(get_IP)(thread));
   Interruption interruption;
   interruption.on_alt_stack = on_alt_stack;
   interruption.alt_start = VG_(thread_get_altstack_min)(thread);
   interruption.alt_end = interruption.alt_start + VG_(thread_get_altstack_size)(thread);
   interruption.interrupted = shadowstack_now.at;
   interrupt(&interruption, VG_(get_SP)(thread));
}

static void on_signal_return(ThreadId thread, Int signal)
{
   (void)signal;
   switch_to(thread);
   resume();
}

/*--------------------------------------------------------------------*/

void thread_register(void)
{
   VG_(track_start_client_code)(on_start_client_code);
   VG_(track_stop_client_code)(on_stop_client_code);
   VG_(track_pre_thread_ll_create)(on_thread_create);
   VG_(track_pre_thread_ll_exit)(on_thread_exit);
   VG_(track_pre_deliver_signal)(on_signal);
   VG_(track_post_deliver_signal)(on_signal_return);
}

void thread_init(void)
{
   if (stacks == NULL)
      stacks = VG_(calloc)("thread.stacks", VG_N_THREADS, sizeof *stacks);
   switch_to(1);
}

void thread_for_each(void (*visit)(ShadowStack* stack))
{
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (stacks[thread] != NULL)
         visit(stacks[thread]);
}

static void abandon_if_not_running(ShadowStack* stack)
{
   if (stack != shadowstack_now.stack)
      shadowstack_abandon(stack);
}

void thread_forget_others(void) { thread_for_each(abandon_if_not_running); }

void thread_total_cost(ULong* total)
{
   cost_copy(total, shadowstack_settled);
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++) {
      const ShadowStack* stack = stacks[thread];
      if (stack != NULL)
         cost_add_span(total, stack == shadowstack_now.stack ? cost_clock : stack->clock,
                       stack->clock_base);
   }
}

void thread_zero_total(void)
{
   cost_zero(shadowstack_settled);
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++) {
      ShadowStack* stack = stacks[thread];
      if (stack != NULL)
         cost_copy(stack->clock_base,
                   stack == shadowstack_now.stack ? cost_clock : stack->clock);
   }
}

ULong thread_blocks_run(void) { return blocks_run; }

Bool thread_all_valid(void)
{
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (stacks[thread] != NULL && !shadowstack_is_valid(stacks[thread]))
         return False;
   return True;
}
