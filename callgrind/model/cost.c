/* SPDX-License-Identifier: GPL-2.0-or-later

   The event set; see cost.h.  Owns the running clock.  */

#include "model/cost.h"

#include "options.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS];
UInt cost_event_count;
UInt cost_indices[EVENT_KINDS];

typedef struct {
   const HChar* name;
   const HChar* text;
} EventRow;

static EventRow counted[COST_MAX_EVENTS];

static void consider(Event event, Bool is_counted, const HChar* name, const HChar* text)
{
   cost_indices[event] = COST_NOT_COUNTED;
   if (!is_counted)
      return;
   tl_assert(cost_event_count < COST_MAX_EVENTS);
   cost_indices[event] = cost_event_count;
   counted[cost_event_count].name = name;
   counted[cost_event_count++].text = text;
}

static const HChar* system_time_text(void)
{
   switch (options.collect_systime) {
   case SystimeMsec: return "sysTime (elapsed ms)";
   case SystimeUsec: return "sysTime (elapsed us)";
   default: return "sysTime (elapsed ns)";
   }
}

void cost_init(void)
{
   Bool systime = options.collect_systime != SystimeNo;
   consider(EventIr, True, "Ir", NULL);
   consider(EventGe, options.collect_bus, "Ge", NULL);
   consider(EventSysCount, systime, "sysCount", NULL);
   consider(EventSysTime, systime, "sysTime", system_time_text());
   consider(EventSysCpuTime, options.collect_systime == SystimeNsec, "sysCpuTime",
            "sysCpuTime (system cpu ns)");
}

const HChar* cost_event_name(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event].name;
}

const HChar* cost_event_text(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event].text;
}
