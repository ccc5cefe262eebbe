/* SPDX-License-Identifier: GPL-2.0-or-later

   Rolling back what was counted beyond a fault.  An instruction that faults stops a
   straight run in the middle.  When a signal handler has removed the cause, the program
   goes on at that instruction, in another superblock.  What the run counted from there on
   must not be counted twice.  */

#ifndef CALLGRIND_FAULT_H
#define CALLGRIND_FAULT_H

#include "core_version.h"

/* The running thread's code has stopped at `ip` in the middle of a superblock.  Takes the
   rest of the straight run off the counts and the clock.  */
void fault_rollback(Addr ip);

/* All costs have been set to zero.  */
void fault_forget(void);

#endif
