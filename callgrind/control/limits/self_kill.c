/* SPDX-License-Identifier: GPL-2.0-or-later

   See self_kill.h.  */

#include "control/limits/self_kill.h"

#include "control/limits/final_kill.h"
#include "core/system_call.h"
#include "guest/memory.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

/* Linux's number, everywhere, which older headers of the core do not have.  */
#define SEND_BY_DESCRIPTOR 424 /* pidfd_send_signal */

static UWord ask(UWord call, UWord a1, UWord a2, UWord a3)
{
   const SysRes result = VG_(do_syscall)(call, a1, a2, a3, 0, 0, 0, 0, 0);
   return sr_isError(result) ? (UWord)-1 : sr_Res(result);
}

/* Is it a thread of ours, as the process is one?  */
static Bool is_own(Int thread)
{
   return thread == VG_(getpid)() ||
          (thread > 0 && ask(__NR_tgkill, (UWord)VG_(getpid)(), (UWord)thread, 0) == 0);
}

static Bool is_own_group(Int whom)
{
   return whom == 0 || (whom < -1 && ask(__NR_getpgid, 0, 0, 0) == (UWord)-whom);
}

/* The process that the descriptor is for; 0 if that is not known.  */
static Int process_of(Int descriptor)
{
   static const HChar name[] = "\nPid:\t";
   HChar path[64], text[512];
   VG_(snprintf)(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
   const SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return 0;
   const Int n = VG_(read)((Int)sr_Res(opened), text, sizeof text - 1);
   VG_(close)((Int)sr_Res(opened));
   text[n > 0 ? n : 0] = '\0';
   const HChar* at = VG_(strstr)(text, name);
   return at != NULL ? (Int)VG_(strtoll10)(at + sizeof name - 1, NULL) : 0;
}

static Bool is_readable(Addr info)
{
   return guest_memory_is_there(info, sizeof(vki_siginfo_t));
}

void self_kill_before_call(UInt call, const UWord* arguments)
{
   const Int whom = (Int)arguments[0], which = (Int)arguments[1];
   Bool is_end = False;
   switch (call) {
   case __NR_kill:
      if (which == VKI_SIGKILL && is_own_group(whom))
         final_kill_group();
      is_end = which == VKI_SIGKILL && is_own(whom);
      break;
   case __NR_tkill: is_end = which == VKI_SIGKILL && is_own(whom); break;
   case __NR_tgkill:
      is_end = (Int)arguments[2] == VKI_SIGKILL && whom == VG_(getpid)() && is_own(which);
      break;
   case __NR_rt_sigqueueinfo:
      is_end = which == VKI_SIGKILL && is_own(whom) && is_readable(arguments[2]);
      break;
   case __NR_rt_tgsigqueueinfo:
      is_end = (Int)arguments[2] == VKI_SIGKILL && whom == VG_(getpid)() &&
               is_own(which) && is_readable(arguments[3]);
      break;
   case SEND_BY_DESCRIPTOR:
      is_end = which == VKI_SIGKILL && arguments[3] == 0 &&
               (arguments[2] == 0 || is_readable(arguments[2])) &&
               process_of(whom) == VG_(getpid)();
      break;
   default: break;
   }
   if (is_end)
      final_kill();
}
