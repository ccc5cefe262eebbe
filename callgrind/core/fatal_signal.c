/* SPDX-License-Identifier: GPL-2.0-or-later

   See fatal_signal.h.  */

#include "core/fatal_signal.h"

#ifdef CORE_SIGNAL_CAN_BE_AIMED

#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"

void __real_vgPlain_kill_self(Int signal);

/* The system's sigaction with SIG_DFL: handler, flags, restorer and mask.  */
static const UWord as_by_default[4];

static void send_to(Int thread, Int signal)
{
   vki_sigset_t mask;
   VG_(memset)(&mask, 0xff, sizeof mask);
   VG_(sigdelset)(&mask, signal);
   VG_(do_syscall)(__NR_rt_sigaction, (UWord)signal, (UWord)as_by_default, 0, sizeof mask,
                   0, 0, 0, 0);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, NULL);
   VG_(do_syscall)(__NR_tgkill, (UWord)VG_(getpid)(), (UWord)thread, (UWord)signal, 0, 0,
                   0, 0, 0);
}

/* The first thread needs no help: what the process is sent is given to it.  */
void __wrap_vgPlain_kill_self(Int signal)
{
   Int thread = (Int)sr_Res(VG_(do_syscall)(__NR_gettid, 0, 0, 0, 0, 0, 0, 0, 0));
   if (thread != VG_(getpid)())
      send_to(thread, signal);
   __real_vgPlain_kill_self(signal);
}

#endif
