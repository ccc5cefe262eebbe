/* SPDX-License-Identifier: GPL-2.0-or-later

   See idle_time.h.  Owns: which threads are in system calls, and since when all are.

   A thread that is in one while others run does not wait for anything elsewhere: what
   they execute is the time that passes.  So time counts from when the last thread has
   begun a call until the first one comes back, before it waits for its turn.  Who is in
   line for its turn is no longer in its call.

   A busy machine keeps threads from their processors, in the midst of calls that wait for
   nothing.  The system counts how often a thread has gone to sleep by itself: a call in
   which the last thread has not took no time.  Where another one comes back first, and
   the last one is not asleep, that has woken it, and nobody has waited.

   A thread that ends is gone a little later, on a busy machine much later.  Who waits for
   its end waits for what it executes.  */

#include "surroundings/idle_time.h"

#include "base/system_filter.h"
#include "core/system_call.h"
#include "surroundings/turns.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define SECOND 1000000000ULL
#define CLOCK_UP 1 /* CLOCK_MONOTONIC */

/* No call that has waited for another process, or a disk, is as short.  */
#define WITHOUT_SLEEP 10000

/* Whether the last thread sleeps is looked at in /proc where this has passed: a wait that
   counts by itself is longer.  */
#define WORTH_A_LOOK 10000000

static Bool* is_in_call; /* by ThreadId */
static UInt n_threads = 1;
static UInt n_in_calls;

/* The time in which all threads are in calls.  It begins and ends while no thread runs,
   and the first one that comes back has set `since` to 0.  */
static struct {
   ULong since;    /* 0: a thread runs, or has come back */
   Int last;       /* the system's number of the thread that began its call last */
   UWord sleeps;   /* how often that had slept before */
   Bool has_ended; /* it was the last call of that thread */
   ULong passed;   /* when it is over, until a thread is told */
} idle;

ULong host_time(UWord clock)
{
   ULong now[2] = {0, 0};
   VG_(do_syscall)(__NR_clock_gettime, clock, (UWord)now, 0, 0, 0, 0, 0, 0);
   return now[0] * SECOND + now[1];
}

/* Of the calling thread: voluntary switches.  */
static UWord sleeps_so_far(void)
{
   enum { Words = 18, Voluntary = 16, OfThread = 1 };
   UWord usage[Words] = {0};
   VG_(do_syscall)(__NR_getrusage, OfThread, (UWord)usage, 0, 0, 0, 0, 0, 0);
   return usage[Voluntary];
}

void idle_time_thread_begins(void)
{
   n_threads++;
   idle.since = 0;
}

static void begin_if_all_are_in_calls(Bool has_ended)
{
   idle.since = 0;
   if (n_in_calls < n_threads || !turns_line_is_empty() || system_filter_is_on())
      return;
   idle.last = VG_(gettid)();
   idle.sleeps = sleeps_so_far();
   idle.has_ended = has_ended;
   idle.since = host_time(CLOCK_UP);
}

static Bool has_anybody_slept(ULong passed)
{
   if (VG_(gettid)() == idle.last)
      return idle.sleeps != sleeps_so_far();
   return idle.has_ended || passed < WORTH_A_LOOK || turns_is_asleep(idle.last);
}

/* The calling thread is back from its call, and may have to wait for its turn.  */
static void come_back(void)
{
   const ULong since = __atomic_exchange_n(&idle.since, 0, __ATOMIC_ACQ_REL);
   if (since == 0 || system_filter_is_on())
      return;
   const ULong passed = host_time(CLOCK_UP) - since;
   if (passed >= WITHOUT_SLEEP && has_anybody_slept(passed))
      idle.passed = passed;
}

static void leave_call(ThreadId thread)
{
   if (is_in_call == NULL || !is_in_call[thread])
      return;
   is_in_call[thread] = False;
   n_in_calls--;
}

void idle_time_thread_ends(ThreadId thread)
{
   leave_call(thread);
   n_threads--;
   if (is_in_call != NULL && n_threads > 0)
      begin_if_all_are_in_calls(True);
}

void idle_time_in_child(ThreadId thread)
{
   if (is_in_call == NULL)
      return;
   VG_(memset)(is_in_call, 0, VG_N_THREADS * sizeof *is_in_call);
   is_in_call[thread] = True;
   n_in_calls = n_threads = 1;
   idle.since = idle.passed = 0;
}

void idle_time_before_call(ThreadId thread)
{
   if (is_in_call == NULL) {
      is_in_call = VG_(calloc)("idle_time.calls", VG_N_THREADS, sizeof *is_in_call);
      turns_on_arrival(come_back);
   }
   n_in_calls += !is_in_call[thread];
   is_in_call[thread] = True;
   begin_if_all_are_in_calls(False);
}

ULong idle_time_after_call(ThreadId thread, Bool waits_for_end)
{
   come_back();
   leave_call(thread);
   const ULong passed = idle.passed;
   idle.passed = 0;
   return waits_for_end && idle.has_ended ? 0 : passed;
}
