/* SPDX-License-Identifier: GPL-2.0-or-later

   How long, by the system's clock, no thread of the program has run: all were in system
   calls, one of which has just ended.  */

#ifndef CALLGRIND_IDLE_TIME_H
#define CALLGRIND_IDLE_TIME_H

#include "core_version.h"

/* The program is about to have one more thread, or `thread` ends.  */
void idle_time_thread_begins(void);
void idle_time_thread_ends(ThreadId thread);

/* In a forked child, in the call that has made it: `thread` is alone.  */
void idle_time_in_child(ThreadId thread);

/* Around each system call of a thread.  The second returns nanoseconds, each of which is
   told to one thread alone; 0 where no thread has slept in its call, was kept from its
   processor only, or may not ask, because system calls are filtered.  What it takes a
   thread to be gone that ends is not told where the call `waits_for_end` of it.  */
void idle_time_before_call(ThreadId thread);
ULong idle_time_after_call(ThreadId thread, Bool waits_for_end);

/* Nanoseconds by one of the system's clocks.  */
ULong host_time(UWord clock);

#endif
