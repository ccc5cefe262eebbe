/* SPDX-License-Identifier: GPL-2.0-or-later

   Pre-emption: a thread that runs natively is sent a signal when it has had its time, so
   that the core polls signals and debuggers, and others have their turn.

   A timer of each thread's processor time does that; so nothing comes to a thread that
   sleeps.  When others wait for the core's lock, the thread that has it gets less.  */

#ifndef CALLGRIND_PREEMPTION_H
#define CALLGRIND_PREEMPTION_H

#include "core_version.h"

/* The timers of a thread.  All zeros: it has none.  */
typedef struct {
   Int by_run_time, by_clock; /* the system's numbers */
   Int process;               /* which they belong to; 0: there are none */
   Bool is_short;             /* the one by the clock is set */
   Bool is_paused;            /* none is */
} NativeTimers;

/* The signal that is sent.  */
#define NATIVE_TICK 63

/* NULL, or why that cannot be here.  */
const HChar* native_preemption_set_up(void);

/* Sets the calling thread's timers, after it has begun, or a process has been forked.
   False if there are no more.  */
Bool native_preemption_begin(NativeTimers* timers, Int thread);

/* There are no timers from now on.  A tick that is on its way comes before this returns,
   if the caller is that thread and has the signal open.  */
void native_preemption_end(NativeTimers* timers);

/* No tick comes, nor is there one that is blocked, until the calling thread runs natively
   again: it is about to wait with another mask, or for signals.  */
void native_preemption_pause(NativeTimers* timers);

/* The calling thread is about to run natively; and it does not any more.  */
void native_preemption_enter(NativeTimers* timers);
void native_preemption_leave(void);

/* Is this signal the tool's?  */
Bool native_is_tick(Int signal, const vki_siginfo_t* info);

/* The calling thread has had one.  */
void native_preemption_ticked(NativeTimers* timers);

/* The calling thread wants the core's lock, and has it now.  */
void native_preemption_waits(void);
void native_preemption_has(void);

#endif
