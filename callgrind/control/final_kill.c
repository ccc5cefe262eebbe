/* SPDX-License-Identifier: GPL-2.0-or-later

   See final_kill.h.  Owns what is to be called before.  */

#include "control/final_kill.h"

#include "core/system_call.h"

#include "pub_tool_libcproc.h"

static void (*finish_run)(Int status);

void final_kill_init(void (*finish)(Int status)) { finish_run = finish; }

void final_kill(void)
{
   finish_run(0);
   VG_(do_syscall)(__NR_kill, (UWord)VG_(getpid)(), VKI_SIGKILL, 0, 0, 0, 0, 0, 0);
}
