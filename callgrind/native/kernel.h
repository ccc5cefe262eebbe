/* SPDX-License-Identifier: GPL-2.0-or-later

   The kernel's part: it is asked to send a thread that runs natively back, with a signal,
   at each system call (syscall user dispatch) and whatever else cannot go on there.  Each
   thread has a stack for such signals, so that nothing is written to the program's.

   Handlers of these signals come before the core's: what is the program's own affair,
   such as a fault of its own, they hand on, with the guest's state complete.  */

#ifndef CALLGRIND_KERNEL_H
#define CALLGRIND_KERNEL_H

#include "core_version.h"

/* What a thread that runs natively is sent back for.  */
typedef struct {
   /* Is a breakpoint planted at `at`?  */
   Bool (*is_planted)(Addr at);
   /* The processor may not execute what is there; does the program know of that?  */
   Bool (*is_hidden)(Addr at);
   /* The system call at `at` takes a signal each time.  */
   void (*called)(Addr at);
   /* The instruction at `at` has been refused: is it to be translated?  */
   Bool (*is_refused)(Addr at);
   UInt blocks_a_call; /* what a system call counts, of the core's time slice */
} NativeKernelHooks;

/* NULL, or why the kernel cannot do it.  `traps_time`: the counter of time is not to be
   read natively.  To be called once, first.  */
const HChar* native_kernel_set_up(const NativeKernelHooks* hooks, Bool traps_time);

/* From now on signals come here first.  */
void native_kernel_begin(void);

/* Has the core asked for handlers since?  Then they come here.  */
Bool native_kernel_is_asked(void);

/* The thread that has the core's lock is about to make this system call.  */
void native_kernel_before_call(UInt call);

/* This process is about to execute another program, which inherits what is ignored and
   what is blocked; and that has failed.  */
void native_kernel_before_exec(void);
void native_kernel_exec_failed(void);

/* May the thread that has the core's lock run natively?  The kernel is told what it has
   to know of it, if it is new.  */
Bool native_kernel_may_run(void);

/* For --stats=yes: how often threads came back, for what.  */
typedef struct {
   ULong entered, called, jumped, trapped, hidden, ticked, faulted;
} NativeCounts;
NativeCounts native_kernel_counts(void);

#endif
