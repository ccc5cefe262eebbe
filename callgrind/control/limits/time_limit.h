/* SPDX-License-Identifier: GPL-2.0-or-later

   The processor time after which the system kills the process (RLIMIT_CPU, the hard
   limit).  Nothing can be written then; so the tool does it when that time has passed,
   and kills the process itself.  */

#ifndef CALLGRIND_TIME_LIMIT_H
#define CALLGRIND_TIME_LIMIT_H

#include "core_version.h"

/* What the system is to be given in place of the program's own limit, in seconds: a hard
   one that leaves time, and a soft one that sends no signal where the kill comes at the
   same time.  */
ULong time_limit_soft(const struct vki_rlimit* own);
ULong time_limit_hard(const struct vki_rlimit* own);

/* The process is to be killed after so many seconds; ~0: never.  */
void time_limit_set(ULong seconds);

/* The system will not be later: so the tool has to be earlier.  */
void time_limit_is_early(void);

#endif
