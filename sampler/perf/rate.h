/* SPDX-License-Identifier: GPL-2.0-or-later

   How often samples are taken: as often as was asked for, or less often while that would
   slow the program by more than it may be slowed.  */

#ifndef SAMPLER_RATE_H
#define SAMPLER_RATE_H

#include "perf/cost.h"
#include "perf/record.h"

#include <stdbool.h>

/* What is left of the frequency then.  */
#define RATE_DIVISOR 4

/* What threads have done, all together.  */
typedef struct {
   double worked;   /* seconds of CPU time */
   double arrivals; /* how often one was given a processor */
} Activity;

/* With `most`, the part of its time (0 to 1) that the program may lose: 0 if samples are
   always as frequent as this.  */
void rate_begin(double most, unsigned frequency, const TimerCost* cost);

/* Decides by what threads have done since the last time.  True: samples are to be less
   frequent.  */
bool rate_decide(Activity since);

/* Notes which threads there are: by the records of the kernel, and at the beginning.  */
void rate_note_record(const Record* record);
void rate_note_thread(uint32_t tid);

/* What they have done since the last call, as /proc has it.  */
Activity rate_read_activity(void);

#endif
