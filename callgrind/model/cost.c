/* SPDX-License-Identifier: GPL-2.0-or-later

   The event set; see cost.h.  Owns the running clock.  */

#include "model/cost.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS];
UInt cost_event_count;

static const HChar* event_names[COST_MAX_EVENTS];

void cost_init(void)
{
   event_names[CostIr] = "Ir";
   cost_event_count = 1;
}

const HChar* cost_event_name(UInt event)
{
   tl_assert(event < cost_event_count);
   return event_names[event];
}
