/* SPDX-License-Identifier: GPL-2.0-or-later

   The time that the program is told with --steady=yes: what it has executed, and what it
   has slept, and not what that took on this machine.  */

#ifndef CALLGRIND_STEADY_CLOCK_H
#define CALLGRIND_STEADY_CLOCK_H

#include "core_version.h"

/* Around each system call of a thread; `blocks` is how many superblocks the program has
   executed so far.  */
void steady_clock_before_call(ThreadId thread, UInt call, const UWord* arguments,
                              ULong blocks);
void steady_clock_after_call(ThreadId thread, UInt call, const UWord* arguments,
                             SysRes result, ULong blocks);

#endif
