/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads: each runs on a shadow stack of its own.  The core says which one runs.  A
   thread may cross to another stack (coroutine.h); the one it leaves is parked.  */

#ifndef CALLGRIND_THREAD_H
#define CALLGRIND_THREAD_H

#include "stack/shadowstack.h"

/* Registers with the core what is to be heard of threads and signals.  Before
   the command line is read.  */
void thread_register(void);

/* After the command line has been read: the first thread exists.  */
void thread_init(void);

/* `thread` runs from now on: for those who hear of it before its code runs.  */
void thread_switch_to(ThreadId thread);

/* The shadow stack of a live thread.  */
ShadowStack* thread_stack(ThreadId thread);

/* The running thread goes on on `stack`, which no thread runs on and which is not parked;
   the stack it leaves is parked.  Collection stays on or off as it is: that belongs to the
   thread.  */
void thread_cross_to(ShadowStack* stack);

/* Leaves all frames of all stacks, booking their costs; parked stacks are forgotten.  */
void thread_forget_stacks(void);

/* The thread that runs, or did last; and whether another has ever run.  */
ThreadId thread_running(void);
Bool thread_has_run(ThreadId thread);

/* Calls `visit` for each shadow stack, parked ones too.  */
void thread_for_each(void (*visit)(ShadowStack* stack));

/* Calls `visit` for each thread that lives, with its shadow stack.  */
void thread_for_each_live(void (*visit)(ThreadId thread, ShadowStack* stack));

/* What a stack has spent since costs were last zeroed.  */
void thread_cost_of(const ShadowStack* stack, ULong* cost);

/* In a forked child only the forking thread lives on.  */
void thread_forget_others(void);

/* All that was spent by all threads since costs were last zeroed, whoever it was
   booked on.  */
void thread_total_cost(ULong* total);

/* From now on thread_total_cost() counts from zero.  */
void thread_zero_total(void);

/* Superblocks run since the program began: the core counts them.  */
ULong thread_blocks_run(void);

/* Has `look` called, with that number, whenever the core lets a thread run on.  */
void thread_before_running(void (*look)(ULong blocks_run));

/* The core's countdown of superblocks, host_EvC_COUNTER in the guest's state: one less with
   each that the running thread runs, but for those that a direct jump forward leads to.  */
UInt thread_countdown_asked(void); /* of the core */
static inline UInt thread_countdown(void)
{
   const UChar* state = shadowstack_now.guest_state;
   return LIKELY(state != shadowstack_no_guest_state)
             ? ((const VexGuestArchState*)state)->host_EvC_COUNTER
             : thread_countdown_asked();
}

/* Has `look` called whenever the countdown begins anew, from a higher number.  */
void thread_before_countdown(void (*look)(void));

/* --ct-check of every thread's stack.  */
Bool thread_all_valid(void);

#endif
