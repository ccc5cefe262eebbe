/* SPDX-License-Identifier: GPL-2.0-or-later

   Static events: what a statement of IR does whenever it is executed, as far as that
   can be told when it is translated.  They follow from how often a run was executed,
   and cost no code of their own but on the clock.  */

#ifndef CALLGRIND_STATIC_EVENTS_H
#define CALLGRIND_STATIC_EVENTS_H

#include "instrument/reference_plan.h"

/* No statement has more.  */
#define STATIC_EVENTS_MAX 4

/* The events of statement number `i` that this run counts: fills in `event` and `count`
   of up to STATIC_EVENTS_MAX entries of `found`, and returns how many.  `plan` is of the
   statement's segment; behind its last, `i` stands for the way on to the next
   superblock.  */
UInt static_events_in(const IRSB* in, const ReferencePlan* plan, UInt i,
                      StaticEvent* found);

#endif
