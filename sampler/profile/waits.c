/* SPDX-License-Identifier: GPL-2.0-or-later

   Waits; see waits.h.  The kernel tells three things of a wait: a sample, in which the
   thread leaves its processor; that it has left it, and whether it could have run on; and
   that it has one again.  The sample may be lost, or come twice.  */

#include "profile/waits.h"

#include <stdlib.h>

void waits_begin(Thread* thread, Record* record)
{
   waits_end(thread);
   thread->wait = (Wait){.left = record, .since = record->time};
}

void waits_leave(Thread* thread, const Record* record)
{
   if (thread->wait.left == NULL)
      waits_begin(thread,
                  record_wait(record->pid, record->tid, record->time, 0, 0, NULL, 0, 0));
   thread->wait.could_run = record->as.leave.could_run;
}

uint64_t waits_length(const Thread* thread, uint64_t since, uint64_t until)
{
   if (thread->wait.left == NULL)
      return 0;
   if (since < thread->wait.since)
      since = thread->wait.since;
   return until > since ? until - since : 0;
}

void waits_counted(Thread* thread, uint64_t until) { thread->wait.since = until; }

void waits_end(Thread* thread)
{
   free(thread->wait.left);
   thread->wait = (Wait){0};
}
