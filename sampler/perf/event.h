/* SPDX-License-Identifier: GPL-2.0-or-later

   The kernel's events: on each processor one that samples, and one that is always on and
   tells of mappings, names, forks and ends, so that nothing of these is missed while
   sampling is off.  Children and new threads inherit both.  */

#ifndef SAMPLER_EVENT_H
#define SAMPLER_EVENT_H

#include "options/options.h"
#include "perf/record.h"

/* Opens the events for `pid`; with `attached` for all the threads that it has, else for a
   child that waits for its exec, at which sampling begins if it is to.  Without the right
   to sample, *reason says in one line what to do, and the result is false.  */
bool event_open(const Options* options, pid_t pid, bool attached, const char** reason);

/* What is sampled: "cycles" or "cpu-clock".  */
const char* event_name(void);
/* Whether the kernel is sampled, too.  */
bool event_has_kernel(void);
/* After how many milliseconds the rings want to be drained.  */
int event_drain_interval(void);

/* Switches sampling on or off, everywhere; on return it is.  */
void event_switch(bool on);

/* Hands what the rings hold to `take`, which owns the records.  */
void event_drain(void (*take)(Record* record));

void event_close(void);

#endif
