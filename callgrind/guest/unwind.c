/* SPDX-License-Identifier: GPL-2.0-or-later

   See unwind.h.  What the unwinder reads of the program are words of the stack, between
   one step and the next, when it owns nothing.  */

#include "guest/unwind.h"

#include "guest/arch.h"
#include "guest/memory.h"

#include "pub_tool_machine.h"
#include "pub_tool_stacktrace.h"

typedef struct {
   ThreadId thread;
   Addr *ips, *sps, *fps;
   UInt most, n;
   Word ip_delta, sp_delta;
} Unwinding;

static void unwind(void* data)
{
   Unwinding* wanted = data;
   wanted->n = VG_(get_StackTrace_with_deltas)(wanted->thread, wanted->ips, wanted->most,
                                               wanted->sps, wanted->fps, wanted->ip_delta,
                                               wanted->sp_delta);
}

UInt unwind_stack(ThreadId thread, Addr* ips, Addr* sps, Addr* fps, UInt most,
                  Word ip_delta, Word sp_delta)
{
   Unwinding wanted = {thread, ips, sps, fps, most, 0, ip_delta, sp_delta};
   if (guest_memory_try(unwind, &wanted))
      return wanted.n;
   ips[0] = VG_(get_IP)(thread) + (Addr)ip_delta;
   sps[0] = VG_(get_SP)(thread) + (Addr)sp_delta;
   VG_(get_shadow_regs_area)(thread, (UChar*)fps, 0, ARCH_FP_OFFSET, sizeof *fps);
   return 1;
}
