/* SPDX-License-Identifier: GPL-2.0-or-later

   Limits that the program sets for itself: the size of its files, its memory, its time
   (setrlimit).  They are meant for the program alone, and it is told that they hold.  The
   process has the core and the tool in it as well, which need more memory, and the
   profile must be written in the end.  So what the system is given is:

   - file size: what the program has set, but no lower hard limit, so that it can be
     lifted while the tool writes;
   - memory: nothing.  A call that would give the program more than it allows itself is
     made to fail (memory_limit.h);
   - time: a hard limit that comes later.  When the program's own is reached the profile
     is written, and the process is killed (time_limit.h).

   Limits of open files, of data and of the stack are the core's to keep.  */

#ifndef CALLGRIND_LIMITS_H
#define CALLGRIND_LIMITS_H

#include "core_version.h"

/* Reads those that hold at the start.  Once, before a thread runs.  */
void limits_init(void);

/* To be called before and after each system call of the program.  */
void limits_before_call(UInt call, const UWord* arguments);
void limits_after_call(ThreadId thread, UInt call, const UWord* arguments, SysRes result);

/* Before and after something is written: limits that the program has set for itself do
   not hold meanwhile, as far as the system allows.  Who writes may call another who
   does.  */
void limits_lift(void);
void limits_restore(void);

/* Before a program is executed, which has them for real; and if that has failed.  */
void limits_before_exec(void);
void limits_exec_failed(void);

#endif
