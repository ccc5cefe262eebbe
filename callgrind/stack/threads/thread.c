/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads and signals; see thread.h.

   Owns the shadow stacks of threads; parking.c has those that no thread runs.  Only one
   guest thread runs at a time.  When the core says that another one takes over, what
   generated code works on (shadowstack_now, cost_clock) is swapped.  */

#include "stack/threads/thread.h"

#include "model/allocations/alloc_owners.h"
#include "model/thread_names.h"
#include "native/native.h"
#include "options/options.h"
#include "stack/frames/shadowstack_check.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/timed_frames.h"
#include "stack/frames/transition_check.h"
#include "stack/stacks/parking.h"
#include "stack/stacks/shadowstack.h"
#include "stack/threads/fault.h"
#include "stack/threads/superblock_count.h"
#include "surroundings/idle_time.h"
#include "surroundings/turns.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

static ShadowStack** stacks; /* by ThreadId; NULL where no thread ever was */
static ThreadId running_thread = VG_INVALID_THREADID;
static ThreadId created_last = VG_INVALID_THREADID;

/* Superblocks.  The core reports their number only when it starts or stops a thread; in
   between its countdown tells how many were executed since.  */
static ULong blocks_run;     /* as last reported */
static UInt counter_then;    /* the countdown when the thread was last started */
static UInt counter_at_stop; /* the countdown when it was last stopped */

/* The thread whose superblock is under way.  Not always the one that ran last: a signal
   that ends the process comes in the middle of a superblock, and the core has all other
   threads end before the superblock does.  */
static ThreadId in_client_code = VG_INVALID_THREADID;

static void (*before_countdown)(void);
static void (*at_slice[3])(void);
static UInt n_at_slice;
static void (*at_stop)(ThreadId thread);

/* The core's countdown, which every superblock counts down.  */
static UInt block_counter(ThreadId thread)
{
   UInt counter;
   VG_(get_shadow_regs_area)(thread, (UChar*)&counter, 0,
                             offsetof(VexGuestArchState, host_EvC_COUNTER),
                             sizeof counter);
   return counter;
}

ShadowStack* thread_stack(ThreadId thread)
{
   tl_assert(thread < VG_N_THREADS);
   if (stacks[thread] == NULL)
      stacks[thread] = shadowstack_new();
   return stacks[thread];
}

void thread_switch_to(ThreadId thread)
{
   if (thread == running_thread)
      return;
   timed_frames_run_thread(thread, thread_stack(thread));
   shadowstack_switch_to(thread_stack(thread));
   running_thread = thread;
   calltree_set_thread(thread);
   if (options.separate_threads)
      context_set_thread(thread);
}

ThreadId thread_running(void) { return running_thread; }

ThreadId thread_created_last(void) { return created_last; }

Bool thread_has_run(ThreadId thread) { return stacks[thread] != NULL; }

void thread_cross_to(ShadowStack* stack)
{
   ShadowStack* left = shadowstack_now.stack;
   Bool is_collecting = left->is_collecting;
   stack->guest_state = shadowstack_now.guest_state;
   timed_frames_leave_stack();
   shadowstack_switch_to(stack);
   timed_frames_resume_stack();
   if (stack->is_collecting != is_collecting)
      shadowstack_set_collecting(stack, is_collecting);
   stacks[running_thread] = stack;
   parking_park(left);
}

static void on_start_client_code(ThreadId thread, ULong blocks_dispatched)
{
   blocks_run = blocks_dispatched;
   thread_switch_to(thread);
   StackRegion* first = &shadowstack_now.stack->regions[0];
   if (UNLIKELY(first->end == 0))
      first->end = VG_(thread_get_stack_max)(thread);
   counter_then = block_counter(thread);
   if (counter_then != counter_at_stop && before_countdown != NULL)
      before_countdown();
   transition_check_at_slice(blocks_dispatched);
   native_resumes(blocks_dispatched);
   for (UInt i = 0; i < n_at_slice; i++)
      at_slice[i]();
   in_client_code = thread;
}

static void on_stop_client_code(ThreadId thread, ULong blocks_dispatched)
{
   blocks_run = blocks_dispatched;
   counter_at_stop = block_counter(thread);
   in_client_code = VG_INVALID_THREADID;
   if (LIKELY(at_stop != NULL))
      at_stop(thread);
}

/* A new thread collects if its creator does.  The thread id may have been used
   before: whatever is left of that thread has been booked at its exit.  */
static void on_thread_create(ThreadId creator, ThreadId child)
{
   Bool collecting = creator == VG_INVALID_THREADID
                        ? options.collect_at_start
                        : thread_stack(creator)->is_collecting;
   ShadowStack* stack = thread_stack(child);
   if (creator != VG_INVALID_THREADID) {
      turns_thread_begins();
      idle_time_thread_begins();
      thread_names_begin(child);
      created_last = child;
   }
   shadowstack_set_collecting(stack, collecting);
   stack->regions[0].end = 0; /* the core knows it when the thread runs */
   timed_frames_new_thread(creator, child, stack);
}

/* A thread that ends, perhaps with the program, leaves all its frames.  They are
   popped one by one if leaving any of them writes a part.  */
static void leave_frames_that_dump(void)
{
   const Frame* bottom = shadowstack_bottom(shadowstack_now.stack);
   UInt flags = 0;
   for (const Frame* frame = shadowstack_now.top; frame != bottom;
        frame = shadowstack_below(frame))
      flags |= frame->flags;
   if (!(flags & FrameDump))
      return;
   shadowstack_hold_clock();
   shadowstack_book_stub();
   while (shadowstack_now.top != bottom)
      shadowstack_pop();
   shadowstack_run_top();
}

static void on_thread_exit(ThreadId thread)
{
   turns_thread_ends();
   idle_time_thread_ends(thread);
   native_thread_ended(thread);
   thread_switch_to(thread);
   leave_frames_that_dump();
   timed_frames_drop(thread, shadowstack_now.stack, True);
   shadowstack_clear(shadowstack_now.stack);
}

/*--------------------------------------------------------------------*/
/* Signals                                                             */

/* A handler has frames of its own above a barrier.  What it interrupted goes on as it was
   when the handler returns.  A signal that comes while the core has a superblock run is
   a fault of the code there: others wait until the thread is between two of them.  */
static void on_signal(ThreadId thread, Int signal, Bool on_alt_stack)
{
   thread_switch_to(thread);
   if (in_client_code == thread)
      fault_rollback(VG_(get_IP)(thread));
   shadowstack_hold_clock();
   HChar number[16];
   VG_(snprintf)(number, sizeof number, "%d", signal);
   timed_frames_mark(MarkSignal, number);
   Addr sp = VG_(get_SP)(thread);
   Addr alt_start = VG_(thread_get_altstack_min)(thread);
   shadowstack_push_barrier(
      sp, on_alt_stack ? alt_start + VG_(thread_get_altstack_size)(thread) : sp);
}

static void resume(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   if (stack->n_interrupted == 0)
      return; /* instrumentation began inside the handler */
   shadowstack_hold_clock();
   const ControlPoint interrupted = stack->interrupted[stack->n_interrupted - 1];
   while (!(shadowstack_now.top->flags & FrameBarrier))
      shadowstack_pop();
   shadowstack_pop();
   shadowstack_run_top_at(&interrupted);
}

static void on_signal_return(ThreadId thread, Int signal)
{
   (void)signal;
   thread_switch_to(thread);
   resume();
}

/*--------------------------------------------------------------------*/
/* Set-up                                                              */

void thread_register(void)
{
   VG_(track_start_client_code)(on_start_client_code);
   VG_(track_stop_client_code)(on_stop_client_code);
   VG_(track_pre_thread_ll_create)(on_thread_create);
   VG_(track_pre_thread_ll_exit)(on_thread_exit);
   VG_(track_pre_deliver_signal)(on_signal);
   VG_(track_post_deliver_signal)(on_signal_return);
}

/* The call tree may not prune the nodes of frames: the hook of calltree_keep().  */
static void (*keep_node)(TreeNode* node);

static void keep_nodes_of(ShadowStack* stack)
{
   const Frame* bottom = shadowstack_bottom(stack);
   for (const Frame* frame = shadowstack_top_of(stack); frame != bottom;
        frame = shadowstack_below(frame))
      keep_node(frame->node);
}

static void keep_nodes(void (*keep)(TreeNode* node))
{
   keep_node = keep;
   thread_for_each(keep_nodes_of);
   alloc_owners_keep_nodes(keep);
}

void thread_init(void)
{
   if (stacks == NULL)
      stacks = VG_(calloc)("thread.stacks", VG_N_THREADS, sizeof *stacks);
   thread_switch_to(1);
   calltree_keep(keep_nodes);
}

/*--------------------------------------------------------------------*/
/* All stacks                                                          */

void thread_for_each(void (*visit)(ShadowStack* stack))
{
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (stacks[thread] != NULL)
         visit(stacks[thread]);
   parking_for_each(visit);
}

void thread_for_each_live(void (*visit)(ThreadId thread, ShadowStack* stack))
{
   ThreadId thread;
   Addr low, high;
   VG_(thread_stack_reset_iter)(&thread);
   while (VG_(thread_stack_next)(&thread, &low, &high))
      visit(thread, thread_stack(thread));
}

void thread_forget_stacks(void)
{
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (stacks[thread] != NULL) {
         timed_frames_drop(thread, stacks[thread], False);
         shadowstack_clear(stacks[thread]);
      }
   parking_free_all();
}

void thread_forget_others(void)
{
   for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
      if (stacks[thread] != NULL && stacks[thread] != shadowstack_now.stack)
         shadowstack_abandon(stacks[thread]);
}

/*--------------------------------------------------------------------*/
/* Costs                                                               */

static const ULong* clock_of(const ShadowStack* stack)
{
   return stack == shadowstack_now.stack ? cost_clock : stack->clock;
}

void thread_cost_of(const ShadowStack* stack, ULong* cost)
{
   cost_zero(cost);
   cost_add_span(cost, clock_of(stack), stack->clock_base);
}

static ULong* total_so_far;

static void add_total(ShadowStack* stack)
{
   cost_add_span(total_so_far, clock_of(stack), stack->clock_base);
}

void thread_total_cost(ULong* total)
{
   cost_copy(total, shadowstack_retired_cost);
   total_so_far = total;
   thread_for_each(add_total);
}

static void zero_total(ShadowStack* stack)
{
   cost_copy(stack->clock_base, clock_of(stack));
}

void thread_zero_total(void)
{
   cost_zero(shadowstack_retired_cost);
   thread_for_each(zero_total);
}

/*--------------------------------------------------------------------*/
/* Superblocks                                                         */

ULong thread_blocks_run(void)
{
   if (superblock_count_is_on())
      return superblock_count();
   return blocks_run + (in_client_code != VG_INVALID_THREADID
                           ? counter_then - block_counter(in_client_code)
                           : 0);
}

UInt thread_countdown_from_core(void) { return block_counter(running_thread); }

void thread_before_countdown(void (*hook)(void)) { before_countdown = hook; }

void thread_at_stop(void (*hook)(ThreadId thread)) { at_stop = hook; }

void thread_at_slice(void (*hook)(void))
{
   tl_assert(n_at_slice < sizeof at_slice / sizeof at_slice[0]);
   at_slice[n_at_slice++] = hook;
}

/*--------------------------------------------------------------------*/

static Bool all_valid;

static void check_stack(ShadowStack* stack)
{
   all_valid = all_valid && shadowstack_is_valid(stack);
}

Bool thread_all_valid(void)
{
   all_valid = True;
   thread_for_each(check_stack);
   return all_valid;
}
