/* SPDX-License-Identifier: GPL-2.0-or-later

   Whose turn it is: with --steady=yes, threads run guest code in an order that depends on
   what they do, and not on how quickly the system wakes them.  */

#ifndef CALLGRIND_TURNS_H
#define CALLGRIND_TURNS_H

#include "core_version.h"

/* To be called while the tool is registered, before the core makes its lock.  */
void turns_register(void);

/* The program is about to have one more thread, or one less.  */
void turns_thread_begins(void);
void turns_thread_ends(void);

/* Has the program more threads than one?  */
Bool turns_are_shared(void);

/* Is nobody back from a system call, and has not had its turn yet?  True where no turns
   are given.  */
Bool turns_line_is_empty(void);

/* Whether the thread with the system's number `thread` sleeps in a system call, or is
   gone; also True if that cannot be known.  */
Bool turns_is_asleep(Int thread);

/* `hook` is to be called by each thread that is back from a system call in which it had
   given up the core's lock, before it waits for its turn.  Others may run it at the same
   time.  */
void turns_on_arrival(void (*hook)(void));

/* Before each system call of a thread.  */
void turns_before_call(ThreadId thread, UInt call);

/* Are turns given?  False without --steady=yes, and where the core's lock, or /proc,
   cannot be had.  */
Bool turns_are_given(void);

#endif
