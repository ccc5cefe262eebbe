/* SPDX-License-Identifier: GPL-2.0-or-later

   How often samples are taken: as often as was asked for, or less often, in steps, while
   that would slow the program by more than it may be slowed.  */

#ifndef SAMPLER_RATE_H
#define SAMPLER_RATE_H

#include "perf/cost.h"
#include "perf/record.h"

#include <stdint.h>

/* What is left of the frequency at each step, and how many there are; step 0 is that
   which was asked for.  A timer that is further away than the next tick of the kernel is
   hardly ever set, so that each further step costs a quarter of the one before, whatever
   a timer costs.  */
#define RATE_DIVISOR 4
#define RATE_STEPS 3

/* What threads have done, all together.  */
typedef struct {
   double worked;   /* seconds of CPU time */
   double arrivals; /* how often one was given a processor */
   double ends;     /* how many have ended */
} Activity;

/* With `most`, the part of its time (0 to 1) that the program may lose: 0 if samples are
   always as frequent as this.  */
void rate_begin(double most, unsigned frequency, const TimerCost* cost);

/* How many steps there are of a frequency, and what it is at one of them.  */
unsigned rate_step_count(unsigned frequency);
unsigned rate_frequency(unsigned frequency, unsigned step);

/* At which step a sample was taken that stands for so many nanoseconds.  */
unsigned rate_step_of_period(unsigned frequency, uint64_t period);

/* Decides, by what threads have done since the last time, at which step to go on.  */
unsigned rate_decide(Activity since);

/* Notes which threads there are: by the records of the kernel, and at the beginning.  */
void rate_note_record(const Record* record);
void rate_note_thread(uint32_t tid);

/* What they have done since the last call, as /proc has it.  */
Activity rate_read_activity(void);

#endif
