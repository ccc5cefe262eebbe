/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads and signals.  Each thread has a shadow stack of its own; the core says which
   thread runs.  A thread may cross to another stack (coroutine.h); the one that it leaves
   is parked.

   A hook lets machine/, which lies above, act before a thread goes on.  */

#ifndef CALLGRIND_THREAD_H
#define CALLGRIND_THREAD_H

#include "stack/frames/shadowstack_types.h"

/* Asks the core for notice of threads and signals.  Before the command line is read.  */
void thread_register(void);

/* Sets up the first thread.  After shadowstack_init() and parking_init().  */
void thread_init(void);

/* `thread` runs from now on.  For callers that learn of it before its code runs.  */
void thread_switch_to(ThreadId thread);

/* The shadow stack of a live thread, made at first use.  */
ShadowStack* thread_stack(ThreadId thread);

/* The running thread goes on on `stack`, which is no thread's and is not parked.  The
   stack that it leaves is parked.  Collection stays on or off: that is the thread's.  */
void thread_cross_to(ShadowStack* stack);

/* Leaves all frames of all stacks, booking their costs.  Parked stacks are freed.  */
void thread_forget_stacks(void);

/* The thread that runs, or did last; and whether another has ever run.  */
ThreadId thread_running(void);
Bool thread_has_run(ThreadId thread);

/* The thread that was made last; VG_INVALID_THREADID if there is one only.  */
ThreadId thread_created_last(void);

/* Calls `visit` for each shadow stack, parked ones too.  */
void thread_for_each(void (*visit)(ShadowStack* stack));

/* Calls `visit` for each live thread, with its shadow stack.  */
void thread_for_each_live(void (*visit)(ThreadId thread, ShadowStack* stack));

/* What a stack has spent since costs were last zeroed.  */
void thread_cost_of(const ShadowStack* stack, ULong* cost);

/* In a forked child: only the forking thread lives on.  */
void thread_forget_others(void);

/* All that all threads have spent since costs were last zeroed, wherever it was booked:
   what the sum of a profile must be.  */
void thread_total_cost(ULong* total);

/* From now on thread_total_cost() counts from zero.  */
void thread_zero_total(void);

/* Superblocks executed since the program began: as superblock_count.h counts them, if it
   does; otherwise as the core does.  */
ULong thread_blocks_run(void);

/* The core's countdown of superblocks, host_EvC_COUNTER in the guest's state: one
   less with each that the running thread executes, except for those that a direct
   jump forward leads to.  The first function asks the core, and is slow.  */
UInt thread_countdown_from_core(void);
static inline UInt thread_countdown(void)
{
   const UChar* state = shadowstack_now.guest_state;
   return LIKELY(state != shadowstack_no_guest_state)
             ? ((const VexGuestArchState*)state)->host_EvC_COUNTER
             : thread_countdown_from_core();
}

/* A hook: `hook` is called whenever the countdown begins again from a higher number.
   Installed by simulation_init(): the simulated instruction cache uses the countdown
   as the time, which goes backwards then.  */
void thread_before_countdown(void (*hook)(void));

/* A hook: `hook` is called whenever a thread has stopped running guest code, before the
   core does what it has stopped for.  */
void thread_at_stop(void (*hook)(ThreadId thread));

/* A hook, one of three at most: `hook` is called whenever a thread begins to run guest
   code, for 100,000 superblocks at most.  */
void thread_at_slice(void (*hook)(void));

/* --ct-check of every thread's stack.  Says in the log what is wrong.  */
Bool thread_all_valid(void);

#endif
