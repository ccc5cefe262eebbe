/* SPDX-License-Identifier: GPL-2.0-or-later

   The strict mode of seccomp, in which a thread may read, write, end, and return from
   signal handlers; any other system call kills it.  The core makes other calls for each
   of these, so that under it no program gets any further in this mode.

   So the tool takes care of it: the system refuses the mode, the program is told that it
   is on, and each call that the thread makes is looked at before it is made.  */

#ifndef CALLGRIND_STRICT_MODE_H
#define CALLGRIND_STRICT_MODE_H

#include "core_version.h"

/* Once, before a thread runs.  */
void strict_mode_init(void);

/* To be called before and after each system call of the program, first of all.  */
void strict_mode_before_call(ThreadId thread, UInt call, const UWord* arguments);
void strict_mode_after_call(ThreadId thread);

#endif
