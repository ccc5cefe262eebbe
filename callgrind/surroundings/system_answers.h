/* SPDX-License-Identifier: GPL-2.0-or-later

   What the program is told by system calls that ask for its surroundings: one processor,
   a fixed amount of memory, a usual limit of the stack, random numbers that are the same
   in every run, and a longer name of the working folder where that is asked for.  */

#ifndef CALLGRIND_SYSTEM_ANSWERS_H
#define CALLGRIND_SYSTEM_ANSWERS_H

#include "core_version.h"

/* After a system call of `thread`: with --steady=yes, puts the fixed answer in place of
   the system's.  */
void system_answers_after_call(ThreadId thread, UInt call, const UWord* arguments,
                               SysRes result);

#endif
