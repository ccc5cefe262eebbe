/* SPDX-License-Identifier: GPL-2.0-or-later

   See time_limit.h.  The time is looked at whenever a thread begins to run, which it does
   many times in a second; while all threads sleep it stands still.  */

#include "control/limits/time_limit.h"

#include "base/system_filter.h"
#include "control/limits/final_kill.h"
#include "core/system_call.h"
#include "stack/threads/thread.h"

#define TIME_OF_PROCESS 2 /* CLOCK_PROCESS_CPUTIME_ID */
#define NO_LIMIT (~0UL)

/* Seconds that writing may take, at least: the system counts in whole ones.  */
#define SPARE 2

/* What is left to writing where the system cannot be asked for more.  */
#define EARLIER 300 /* milliseconds */

static ULong limit = NO_LIMIT; /* in seconds */
static Bool is_early, is_looking;

ULong time_limit_soft(const struct vki_rlimit* own)
{
   return own->rlim_cur < own->rlim_max || own->rlim_max == NO_LIMIT
             ? own->rlim_cur
             : own->rlim_max + SPARE;
}

ULong time_limit_hard(const struct vki_rlimit* own)
{
   return own->rlim_max < NO_LIMIT - SPARE ? own->rlim_max + SPARE : NO_LIMIT;
}

/* In milliseconds.  */
static ULong passed(void)
{
   struct vki_timespec now = {0, 0};
   VG_(do_syscall)(__NR_clock_gettime, TIME_OF_PROCESS, (UWord)&now, 0, 0, 0, 0, 0, 0);
   return (ULong)now.tv_sec * 1000 + (ULong)now.tv_nsec / 1000000;
}

static void look(void)
{
   if (limit == NO_LIMIT || system_filter_is_on() ||
       passed() + (is_early ? EARLIER : 0) < limit * 1000)
      return;
   limit = NO_LIMIT;
   final_kill();
}

void time_limit_set(ULong seconds)
{
   limit = seconds;
   if (limit != NO_LIMIT && !is_looking) {
      is_looking = True;
      thread_at_slice(look);
   }
}

void time_limit_is_early(void) { is_early = True; }
