/* SPDX-License-Identifier: GPL-2.0-or-later

   The kernel's events.  On each processor there is one that is always on and records
   mappings, names, forks and exits, so that none is missed while sampling is off; and one
   that samples for each size of the copies of stacks, and for each lower rate, of which
   one is on at most.  With --event=wall there is one for each size that tells of threads
   that leave the processor, and one of them is on all the time: so it is known where a
   thread waits that left before sampling was switched on.  Children and new threads
   inherit all.  */

#ifndef SAMPLER_EVENT_H
#define SAMPLER_EVENT_H

#include "options/options.h"
#include "perf/record.h"

/* Opens the events of process `pid`.  With `attached`, of all its threads; otherwise it
   is a child that waits for its exec, where sampling begins if `options` say so.  If it
   may not be sampled, the result is false, and *reason says in one line why and what to
   do.  */
bool event_open(const Options* options, pid_t pid, bool attached, const char** reason);

/* What is sampled: "cycles" or "cpu-clock".  */
const char* event_name(void);
/* Whether there are records of threads that leave the processor.  */
bool event_has_waits(void);
/* Whether the kernel is sampled, too.  */
bool event_has_kernel(void);
/* How many milliseconds may pass between two calls of event_drain().  */
int event_drain_interval(void);
/* How many bytes of the stack are copied now.  */
unsigned event_copy_size(void);
/* How many samples are taken now in a second of CPU time.  */
unsigned event_frequency(void);
/* A descriptor that is readable when event_drain() should be called before that; -1:
   there is none.  */
int event_descriptor(void);

/* Whether there are lower rates: only of the clock, as the cost of a counter's interrupts
   is another, and of waits that of their records.  */
bool event_can_slow(const Options* options);
/* Goes on at a step of rate.h.  */
void event_go_on_at(unsigned step);

/* Switches sampling on or off, on all processors; it is done on return.  */
void event_switch(bool on);

/* Passes the records that are in the rings to `take`, which frees them.  Goes on with
   larger or smaller copies of stacks if copies.h says so.  */
void event_drain(void (*take)(Record* record));

/* Closes all events.  */
void event_close(void);

#endif
