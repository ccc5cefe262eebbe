/* SPDX-License-Identifier: GPL-2.0-or-later

   What belongs to each thread that runs natively.  The core's numbers of threads are used
   again: a thread of the system that is new under its number is set up anew, and so is
   that of a forked process, but for the state of its registers.  */

#ifndef CALLGRIND_THREADS_H
#define CALLGRIND_THREADS_H

#include "native/preemption.h"
#include "native/state.h"

#ifdef CORE_CAN_RUN_NATIVELY

typedef struct {
   Int number;          /* the system's; 0: nothing is set up */
   UChar* signal_stack; /* of NATIVE_SIGNAL_STACK bytes; stays */
   Addr fs, gs;         /* what the processor's bases are */
   NativeTimers timers;
   NativeState state;
   Bool is_refused; /* it cannot run natively */
   ULong held_up;   /* signals of the program's that are put off: a bit for each */
} NativeThread;

#define NATIVE_SIGNAL_STACK 0x80000

/* That of the thread that has the core's lock.  */
NativeThread* native_thread(void);

/* A thread ends, whose number in the core may become another's.  */
void native_threads_ended(ThreadId id);

/* This is a forked process: nothing is set up for its one thread.  */
void native_threads_forked(void);

/* Ends the timers of all: this process is about to become another program's.  A thread
   that runs natively after all is set up anew.  */
void native_threads_end(void);

/* That of the calling thread, by the system's number; NULL: it has none yet.  */
NativeThread* native_thread_of(Int number);

#endif

#endif
