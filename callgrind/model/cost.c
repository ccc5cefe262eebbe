/* SPDX-License-Identifier: GPL-2.0-or-later

   The event set; see cost.h.  Owns the running clock.  */

#include "model/cost.h"

#include "options.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS] __attribute__((aligned(64)));
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

static void consider_caches(void)
{
   Bool caches = options.cache_sim;
   Bool write_back = caches && options.simulate_write_back && !options.cacheuse;
   consider(EventDr, caches, "Dr", NULL);
   consider(EventDw, caches, "Dw", NULL);
   consider(EventI1mr, caches, "I1mr", NULL);
   consider(EventD1mr, caches, "D1mr", NULL);
   consider(EventD1mw, caches, "D1mw", NULL);
   consider(EventILmr, caches, "ILmr", NULL);
   consider(EventDLmr, caches, "DLmr", NULL);
   consider(EventDLmw, caches, "DLmw", NULL);
   consider(EventILdmr, write_back, "ILdmr", NULL);
   consider(EventDLdmr, write_back, "DLdmr", NULL);
   consider(EventDLdmw, write_back, "DLdmw", NULL);
}

void cost_init(void)
{
   Bool systime = options.collect_systime != SystimeNo;
   consider(EventIr, True, "Ir", NULL);
   consider_caches();
   consider(EventBc, options.branch_sim, "Bc", NULL);
   consider(EventBcm, options.branch_sim, "Bcm", NULL);
   consider(EventBi, options.branch_sim, "Bi", NULL);
   consider(EventBim, options.branch_sim, "Bim", NULL);
   consider(EventAcCost1, options.cacheuse && options.cache_sim, "AcCost1", NULL);
   consider(EventSpLoss1, options.cacheuse && options.cache_sim, "SpLoss1", NULL);
   consider(EventAcCost2, options.cacheuse && options.cache_sim, "AcCost2", NULL);
   consider(EventSpLoss2, options.cacheuse && options.cache_sim, "SpLoss2", NULL);
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
