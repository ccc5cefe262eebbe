/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls by which the program kills itself with SIGKILL, of which nobody hears.
   The profile is written before.  The core would let the other threads go on.  */

#ifndef CALLGRIND_SELF_KILL_H
#define CALLGRIND_SELF_KILL_H

#include "core_version.h"

/* To be called before each system call of the program.  */
void self_kill_before_call(UInt call, const UWord* arguments);

#endif
