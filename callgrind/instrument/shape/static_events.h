/* SPDX-License-Identifier: GPL-2.0-or-later

   Static events: the events of a statement that are known when it is translated, since
   they happen whenever it is executed.  How often they have happened follows from the
   counter of their straight run.  So generated code adds them to the clock only.  */

#ifndef CALLGRIND_STATIC_EVENTS_H
#define CALLGRIND_STATIC_EVENTS_H

#include "instrument/shape/reference_plan.h"
#include "instrument/shape/superblock_cycles.h"

/* No statement has more.  */
#define STATIC_EVENTS_MAX 7

/* The static events of statement number `i` that are counted.  Fills in `event` and
   `count` of up to STATIC_EVENTS_MAX entries of `found`, and returns their number.
   `plan` is that of the statement's segment, `cycles` those of `in`.  An `i` behind the
   last statement of `in` stands for the jump to the next superblock.  */
UInt static_events_in(const IRSB* in, const ReferencePlan* plan,
                      const SuperblockCycles* cycles, UInt i, StaticEvent* found);

#endif
