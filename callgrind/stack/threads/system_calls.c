/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls; see system_calls.h.  The core takes only one listener, which is
   fork_exec.c; that calls us.

   A call is counted when it is over, on the thread that made it, before the core lets
   that thread run again.  What other threads executed meanwhile is part of its time:
   it is the time that the program waited.

   A call that was made before the measurement is not counted, even if it ends within:
   an idle thread may have waited for as long as the program runs.  */

#include "stack/threads/system_calls.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "options/options.h"
#include "stack/frames/rare_sync.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/threads/thread.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

typedef struct {
   ULong time, cpu_time; /* in the unit of the event */
} Timestamps;

/* The call that a thread is in.  */
typedef struct {
   Timestamps begun;
   Bool is_measured; /* it was made within the measurement */
} Call;

static Call* calls; /* by ThreadId; NULL if calls are not counted */

/* The thread that a fork made, until the call that made it is over.  */
static ThreadId forked = VG_INVALID_THREADID;

static ULong nanoseconds(vki_clockid_t clock)
{
   struct vki_timespec now;
   VG_(clock_gettime)(&now, clock);
   return (ULong)now.tv_sec * 1000000000 + (ULong)now.tv_nsec;
}

static Timestamps timestamps(void)
{
   static const ULong units[] = {
      [SystimeMsec] = 1000000, [SystimeUsec] = 1000, [SystimeNsec] = 1};
   Timestamps now = {0, 0};
   now.time = nanoseconds(VKI_CLOCK_MONOTONIC) / units[options.collect_systime];
   if (cost_is_counted(EventSysCpuTime))
      now.cpu_time = nanoseconds(VKI_CLOCK_THREAD_CPUTIME_ID);
   return now;
}

/* Books `cost` on the running function, at the instruction that made the call.  If
   none did (a return from a signal handler goes back to anywhere), at the next one.  */
static void book(Context* context, ThreadId thread, const ULong* cost)
{
   Addr ip = VG_(get_IP)(thread);
   Addr call = arch_system_call_before(ip);
   Addr address = call != 0 ? call : ip;
   Place place = address_place_of(address);
   SourceLine line = address_line_of(address);
   const CallSite* pending = shadowstack_pending_call();
   if (pending == NULL && !address_is_inside(context->function, address))
      pending = callsite_unknown(context->function);
   if (call != 0 || pending == NULL)
      context_add_cost(context, place.file_address, line, cost);
   else
      context_add_cost(context, pending->file_address, callsite_line(pending), cost);
}

void system_calls_begin(ThreadId thread)
{
   if (calls != NULL)
      calls[thread] = (Call){timestamps(), True};
}

void system_calls_forget(void)
{
   for (ThreadId thread = 0; calls != NULL && thread < VG_N_THREADS; thread++)
      calls[thread].is_measured = False;
}

void system_calls_in_child(ThreadId thread) { forked = thread; }

void system_calls_end(ThreadId thread)
{
   if (calls == NULL)
      return;
   if (forked == thread) {
      forked = VG_INVALID_THREADID;
      return;
   }
   if (!calls[thread].is_measured)
      return;
   const Timestamps now = timestamps();
   ULong cost[COST_MAX_EVENTS] = {0};
   cost[cost_index(EventSysCount)] = 1;
   cost[cost_index(EventSysTime)] = now.time - calls[thread].begun.time;
   if (cost_is_counted(EventSysCpuTime))
      cost[cost_index(EventSysCpuTime)] = now.cpu_time - calls[thread].begun.cpu_time;

   thread_switch_to(thread);
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameBarrier)
      return; /* instrumentation is off: no function runs */
   rare_sync();
   cost_add(cost_clock, cost);
   shadowstack_hold_clock();
   if (!(top->flags & FrameSkipped) && shadowstack_now.at.stub == NULL &&
       shadowstack_now.stack->is_collecting)
      book(top->context, thread, cost);
}

void system_calls_init(void)
{
   if (cost_is_counted(EventSysCount))
      calls = VG_(calloc)("system_calls.calls", VG_N_THREADS, sizeof *calls);
}
