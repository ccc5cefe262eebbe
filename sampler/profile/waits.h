/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads that have no processor: since when, and where they left it.  The unwinding
   thread alone calls these.  */

#ifndef SAMPLER_WAITS_H
#define SAMPLER_WAITS_H

#include "profile/process.h"

/* A thread leaves its processor, with a RecordWait, which is taken over.  */
void waits_begin(Thread* thread, Record* record);

/* The record of its leaving, a RecordLeave, which comes behind that.  */
void waits_leave(Thread* thread, const Record* record);

/* How long it has waited up to the time `until`, but since `since` at the earliest, that
   waits_counted() has not been told.  */
uint64_t waits_length(const Thread* thread, uint64_t since, uint64_t until);

/* The time up to `until` is in the profile.  */
void waits_counted(Thread* thread, uint64_t until);

/* It has a processor again, or has ended.  */
void waits_end(Thread* thread);

#endif
