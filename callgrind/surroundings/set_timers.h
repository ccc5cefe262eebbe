/* SPDX-License-Identifier: GPL-2.0-or-later

   Timers that the program has set and that end by the system's clock, with a signal or as
   a file that can be read: when they end by the clock that the program sees.  */

#ifndef CALLGRIND_SET_TIMERS_H
#define CALLGRIND_SET_TIMERS_H

#include "core_version.h"

/* Whether the call sets or ends one: then set_timers_note() has to be called.  */
Bool set_timers_are_for(UInt call);

/* A call that sets a timer has succeeded.  It ends after `span` nanoseconds, and then
   again each `interval` (0: not); `span` 0: it is off.  `up_time` is what the program
   sees, `host_time` what the system says, both since the machine was started.  */
void set_timers_note(UInt call, const UWord* arguments, ULong span, ULong interval,
                     ULong up_time, ULong host_time);

/* A timer was made that goes by a processor's time.  */
void set_timers_of_processor(UWord number);

/* The files of these numbers are closed, and what was a timer is none.  */
void set_timers_close(UWord first, UWord last);

/* Whether any is on.  */
Bool set_timers_are_on(void);

/* Whether any has ended since this was last asked.  If so, `up_time` has to be `*behind`
   later (0: it is late enough), and by the system's clock, which says `host_time`, it was
   `*since` ago.  */
Bool set_timers_ended(ULong up_time, ULong host_time, ULong* behind, ULong* since);

/* How long it is until the next one ends; 0: none is on.  */
ULong set_timers_left(ULong up_time);

/* A forked child has no timers but those that are files.  */
void set_timers_in_child(void);

#endif
