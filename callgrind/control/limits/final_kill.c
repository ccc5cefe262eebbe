/* SPDX-License-Identifier: GPL-2.0-or-later

   See final_kill.h.  Owns what is to be called before.  */

#include "control/limits/final_kill.h"

#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"

#define OWN_GROUP 0 /* kill */

static void (*finish_run)(Int status);

void final_kill_init(void (*finish)(Int status)) { finish_run = finish; }

static void write_and_kill(Int whom)
{
   finish_run(0);
   VG_(do_syscall)(__NR_kill, (UWord)whom, VKI_SIGKILL, 0, 0, 0, 0, 0, 0);
}

void final_kill(void) { write_and_kill(VG_(getpid)()); }

void final_kill_group(void) { write_and_kill(OWN_GROUP); }

/* The system's sigaction with SIG_DFL: handler, flags, restorer and mask.  */
static const UWord as_by_default[4];

void final_kill_for_call(void)
{
   vki_sigset_t mask;
   finish_run(0);
   VG_(memset)(&mask, 0xff, sizeof mask);
   VG_(sigdelset)(&mask, VKI_SIGSYS);
   VG_(do_syscall)(__NR_rt_sigaction, VKI_SIGSYS, (UWord)as_by_default, 0, sizeof mask, 0,
                   0, 0, 0);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, NULL);
   VG_(do_syscall)(__NR_kill, (UWord)VG_(getpid)(), VKI_SIGSYS, 0, 0, 0, 0, 0, 0);
}
