/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls: how many, and how long they took (--collect-systime).  Their cost
   belongs to the function and the instruction that made them.  */

#ifndef CALLGRIND_SYSTEM_CALLS_H
#define CALLGRIND_SYSTEM_CALLS_H

#include "core_version.h"

/* After cost_init().  */
void system_calls_init(void);

/* A thread's system call begins, or is over.  */
void system_calls_begin(ThreadId thread);
void system_calls_end(ThreadId thread);

/* The measurement begins, or begins anew: calls that are under way will not count.  */
void system_calls_forget(void);

/* In a forked child: the call that `thread` is in is its parent's, and counts there only.
   (Besides, the child's clock does not say when it began.)  */
void system_calls_in_child(ThreadId thread);

#endif
