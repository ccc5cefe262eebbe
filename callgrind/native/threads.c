/* SPDX-License-Identifier: GPL-2.0-or-later

   See threads.h.  */

#include "native/threads.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#ifdef CORE_CAN_RUN_NATIVELY

static NativeThread* threads; /* by ThreadId */

NativeThread* native_thread(void)
{
   const ThreadId id = VG_(get_running_tid)();
   tl_assert(id < VG_N_THREADS);
   if (UNLIKELY(threads == NULL))
      threads = VG_(calloc)("native.threads", VG_N_THREADS, sizeof *threads);
   return &threads[id];
}

void native_threads_ended(ThreadId id)
{
   if (threads == NULL || threads[id].number == 0)
      return;
   native_preemption_end(&threads[id].timers);
   threads[id].number = 0;
}

void native_threads_end(void)
{
   for (ThreadId id = 0; id < VG_N_THREADS; id++)
      native_threads_ended(id);
}

/* The timers were not inherited.  */
void native_threads_forked(void) { native_threads_end(); }

NativeThread* native_thread_of(Int number)
{
   for (ThreadId id = 0; threads != NULL && id < VG_N_THREADS; id++)
      if (threads[id].number == number)
         return &threads[id];
   return NULL;
}

#endif
