/* SPDX-License-Identifier: GPL-2.0-or-later

   Rolling back what was counted beyond a fault.  A memory access that faults stops a
   straight run in the middle.  When a signal handler has removed the cause, the
   program goes on at the faulting instruction, in another superblock.  What the run
   counted beyond the fault must not be counted twice.  */

#ifndef CALLGRIND_FAULT_H
#define CALLGRIND_FAULT_H

#include "core_version.h"

/* `signal` is about to be delivered to the running thread, which is at `ip`.  If it is a
   fault in the middle of a straight run, takes the rest of the run off the counts and the
   clock.  */
void fault_rollback(Int signal, Addr ip);

#endif
