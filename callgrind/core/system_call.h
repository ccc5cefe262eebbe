/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's gate for system calls, for those that no function of its headers makes, or
   whose errors none reports.  Without it configure refuses the core: no file could be
   written safely.  */

#ifndef CALLGRIND_SYSTEM_CALL_H
#define CALLGRIND_SYSTEM_CALL_H

#include "core_version.h"

/* Makes the system call `number` for the tool itself.  What it does not take is 0.  */
extern SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4,
                              UWord a5, UWord a6, UWord a7, UWord a8);

#endif
