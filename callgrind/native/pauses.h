/* SPDX-License-Identifier: GPL-2.0-or-later

   Pauses: native code is left alone while the program makes system calls and does hardly
   anything between.  A way out and in again takes longer than translated code takes from
   one call to the next, which goes straight back to the core.

   Only time tells how little a program does natively, so a pause begins by the
   processor's counter of time.  It ends by numbers of superblocks and calls.  */

#ifndef CALLGRIND_PAUSES_H
#define CALLGRIND_PAUSES_H

#include "core_version.h"

/* `reads_time`: the tool may read the counter of time.  If not, there are no pauses.  */
void native_pauses_init(Bool reads_time);

/* A thread runs natively from now on; and it has left, for a system call or not.  */
void native_pauses_in(void);
void native_pauses_out(Bool calls);

/* Is a pause due?  If so, it begins.  */
Bool native_pauses_begin(void);

/* Is there one?  */
Bool native_pauses_is_on(void);

/* In a pause, a system call has been made by code that would run natively.  */
void native_pauses_called(void);

/* A thread goes on, when so many superblocks have been executed.  Is the pause over?  If
   so, it ends.  `is_off`: without it, the code would run natively.  */
Bool native_pauses_end(ULong blocks_run, Bool is_off);

/* How many there have been.  */
UInt native_pauses_count(void);

#endif
