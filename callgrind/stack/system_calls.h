/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls: how many, and how long they took (--collect-systime).  They are cost of
   the function and of the instruction that made them.  */

#ifndef CALLGRIND_SYSTEM_CALLS_H
#define CALLGRIND_SYSTEM_CALLS_H

/* Asks the core to tell of system calls, if these are counted.  After cost_init().  */
void system_calls_init(void);

#endif
