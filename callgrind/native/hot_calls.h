/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls that a program makes often.  A signal for each takes several times as long
   as translated code does.  Nearly all code sets the call's number by `mov $N, %eax` just
   before `syscall`: that `mov` becomes a jump (sites.h) to a stub of the tool's, which
   does what it did, and leaves by call_exit.h; or, if the core does nothing with such a
   call but pass it on, makes it there and then.  The `syscall` stays what it is: who
   comes there by another way is sent out by a signal, as ever.  */

#ifndef CALLGRIND_HOT_CALLS_H
#define CALLGRIND_HOT_CALLS_H

#include "core_version.h"

/* `fixes_clock`: the answers of clocks are not the system's.  To be called once,
   first.  */
void native_hot_calls_init(Bool fixes_clock);

/* A thread was sent out by a signal for the `syscall` at `at`.  */
void native_hot_call_came(Addr at);

/* Makes jumps where threads have come often.  To be called before native code runs, by
   the thread that will.  */
void native_hot_calls_settle(void);

/* If a signal came while a thread was in a stub, sets its registers to what they are at
   the `syscall`, or behind it if the call has been made.  */
void native_hot_calls_leave(struct vki_sigcontext* registers);

/* How many there are.  */
UInt native_hot_calls_count(void);

#endif
