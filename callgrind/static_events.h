/* SPDX-License-Identifier: GPL-2.0-or-later

   Static events: what a statement of IR does whenever it is executed, as far as that
   can be told when it is translated.  They follow from how often a run was executed,
   and cost no code of their own but on the clock.  */

#ifndef CALLGRIND_STATIC_EVENTS_H
#define CALLGRIND_STATIC_EVENTS_H

#include "model/block.h"

#include "pub_tool_tooliface.h"

/* No statement has more.  */
#define STATIC_EVENTS_MAX 4

/* The events of a statement that this run counts: fills in `event` and `count` of up to
   STATIC_EVENTS_MAX entries of `found`, and returns how many.  */
UInt static_events_in(const IRStmt* statement, StaticEvent* found);

#endif
