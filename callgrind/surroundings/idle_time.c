/* SPDX-License-Identifier: GPL-2.0-or-later

   See idle_time.h.  Owns: which threads are in system calls.

   A thread that is in one while others run does not wait for anything elsewhere: what
   they execute is the time that passes.  So time counts from when the last thread has
   begun a call until the first one comes back, and that one is told.

   A busy machine keeps threads from their processors, in the midst of calls that wait for
   nothing.  The system counts how often a thread has gone to sleep by itself, and a call
   in which it has not took no time.  Where there are more threads they sleep for their
   turns, too, and this cannot be told.  */

#include "surroundings/idle_time.h"

#include "base/system_filter.h"
#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define SECOND 1000000000ULL
#define CLOCK_UP 1 /* CLOCK_MONOTONIC */

/* No call that has waited for another process, or a disk, is as short.  */
#define WITHOUT_SLEEP 10000

typedef struct {
   Bool is_in_call;
   UWord sleeps; /* how often it had slept when the call began */
} State;

static State* states; /* by ThreadId */
static UInt n_threads = 1;
static UInt n_in_calls;
static ULong idle_since; /* 0: a thread runs */

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
   idle_since = 0;
}

static void leave_call(ThreadId thread)
{
   if (states == NULL || !states[thread].is_in_call)
      return;
   states[thread].is_in_call = False;
   n_in_calls--;
}

void idle_time_thread_ends(ThreadId thread)
{
   leave_call(thread);
   n_threads--;
}

void idle_time_in_child(ThreadId thread)
{
   if (states == NULL)
      return;
   VG_(memset)(states, 0, VG_N_THREADS * sizeof *states);
   states[thread].is_in_call = True;
   n_in_calls = n_threads = 1;
   idle_since = 0;
}

void idle_time_before_call(ThreadId thread)
{
   if (states == NULL)
      states = VG_(calloc)("idle_time.states", VG_N_THREADS, sizeof *states);
   State* state = &states[thread];
   n_in_calls += !state->is_in_call;
   state->is_in_call = True;
   idle_since = 0;
   if (n_in_calls < n_threads || system_filter_is_on())
      return;
   if (n_threads == 1)
      state->sleeps = sleeps_so_far();
   idle_since = host_time(CLOCK_UP);
}

ULong idle_time_after_call(ThreadId thread)
{
   const ULong since = idle_since;
   idle_since = 0;
   leave_call(thread);
   if (since == 0 || system_filter_is_on())
      return 0;
   const ULong passed = host_time(CLOCK_UP) - since;
   if (passed < WITHOUT_SLEEP ||
       (n_threads == 1 && states[thread].sleeps == sleeps_so_far()))
      return 0;
   return passed;
}
