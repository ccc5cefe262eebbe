/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads: each has a shadow stack of its own, kept to the end of the run.  The
   core says which one runs.  */

#ifndef CALLGRIND_THREAD_H
#define CALLGRIND_THREAD_H

#include "stack/shadowstack.h"

/* Registers with the core what is to be heard of threads and signals.  Before
   the command line is read.  */
void thread_register(void);

/* After the command line has been read: the first thread exists.  */
void thread_init(void);

/* The shadow stack of a live thread.  */
ShadowStack* thread_stack(ThreadId thread);

/* Calls `visit` for each thread's shadow stack.  */
void thread_for_each(void (*visit)(ShadowStack* stack));

/* In a forked child only the forking thread lives on.  */
void thread_forget_others(void);

/* All that was spent by all threads since costs were last zeroed, whoever it was
   booked on.  */
void thread_total_cost(ULong* total);

/* From now on thread_total_cost() counts from zero.  */
void thread_zero_total(void);

/* Superblocks run since the program began, roughly: the core counts them.  */
ULong thread_blocks_run(void);

/* --ct-check of every thread's stack.  */
Bool thread_all_valid(void);

#endif
