/* SPDX-License-Identifier: GPL-2.0-or-later

   Killing the process in place of the system, which would leave no time to write: where
   the program kills itself, at a call that a filter of system calls answers so, in the
   strict mode of seccomp, and at the end of a limit of time.  */

#ifndef CALLGRIND_FINAL_KILL_H
#define CALLGRIND_FINAL_KILL_H

#include "core_version.h"

/* `finish` writes all that is to be written, as at the program's end.  */
void final_kill_init(void (*finish)(Int status));

/* Has it written, and kills the process by SIGKILL.  */
void final_kill(void);

/* As final_kill(), and the other processes of its group.  */
void final_kill_group(void);

/* Has it written, and kills the process by SIGSYS, as for a call that a filter does not
   let through.  */
void final_kill_for_call(void);

#endif
