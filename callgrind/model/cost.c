/* SPDX-License-Identifier: GPL-2.0-or-later

   The event set; see cost.h.  Owns the running clock.  */

#include "model/cost.h"

#include "options.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS] __attribute__((aligned(64)));
UInt cost_event_count;
UInt cost_indices[EVENT_KINDS];
CostRange cost_rare;

typedef struct {
   const HChar* name;
   const HChar* meaning;
   const HChar* text; /* cost_event_text() */
} EventRow;

static EventRow counted[COST_MAX_EVENTS];

static void consider(Event event, Bool is_counted, const HChar* name,
                     const HChar* meaning)
{
   cost_indices[event] = COST_NOT_COUNTED;
   if (!is_counted)
      return;
   tl_assert(cost_event_count < COST_MAX_EVENTS);
   cost_indices[event] = cost_event_count;
   counted[cost_event_count].name = name;
   counted[cost_event_count++].meaning = meaning;
}

static void set_text(Event event, const HChar* text)
{
   if (cost_is_counted(event))
      counted[cost_index(event)].text = text;
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
   consider(EventDr, caches, "Dr", "reads of data");
   consider(EventDw, caches, "Dw", "writes of data");
   consider(EventI1mr, caches, "I1mr", "instruction fetches that missed in I1");
   consider(EventD1mr, caches, "D1mr", "reads of data that missed in D1");
   consider(EventD1mw, caches, "D1mw", "writes of data that missed in D1");
   consider(EventILmr, caches, "ILmr", "instruction fetches that missed in LL");
   consider(EventDLmr, caches, "DLmr", "reads of data that missed in LL");
   consider(EventDLmw, caches, "DLmw", "writes of data that missed in LL");
   consider(EventILdmr, write_back, "ILdmr",
            "instruction fetches that missed in LL and had a line written back");
   consider(EventDLdmr, write_back, "DLdmr",
            "reads of data that missed in LL and had a line written back");
   consider(EventDLdmw, write_back, "DLdmw",
            "writes of data that missed in LL and had a line written back");
}

static void consider_branches(void)
{
   consider(EventBc, options.branch_sim, "Bc", "conditional branches");
   consider(EventBcm, options.branch_sim, "Bcm", "conditional branches mispredicted");
   consider(EventBi, options.branch_sim, "Bi", "indirect branches");
   consider(EventBim, options.branch_sim, "Bim", "indirect branches mispredicted");
}

static void consider_line_use(void)
{
   Bool use = options.cacheuse && options.cache_sim;
   consider(EventAcCost1, use, "AcCost1", "1000 / uses of each line of I1 or D1");
   consider(EventSpLoss1, use, "SpLoss1", "unused bytes of lines of I1 or D1");
   consider(EventAcCost2, use, "AcCost2", "1000 / uses of each line of LL");
   consider(EventSpLoss2, use, "SpLoss2", "unused bytes of lines of LL");
}

Bool cost_is_static(UInt index)
{
   static const Event events[] = {EventIr, EventDr, EventDw, EventBc, EventBi, EventGe};
   for (UInt i = 0; i < sizeof events / sizeof events[0]; i++)
      if (cost_index(events[i]) == index)
         return True;
   return False;
}

/* The longest row of pairs, from the third on, in which no event is static.  */
static void find_rare_pairs(void)
{
   UInt begin = 4;
   cost_rare.begin = cost_rare.end = cost_stride();
   for (UInt e = begin; e < cost_n_events(); e += 2)
      if (cost_is_static(e) || cost_is_static(e + 1))
         begin = e + 2;
      else if (e + 2 - begin > cost_rare.end - cost_rare.begin) {
         cost_rare.begin = begin;
         cost_rare.end = e + 2;
      }
}

static void find_rare(void)
{
   find_rare_pairs();
   Bool is_rest =
      cost_rare.begin == 4 && cost_n_events() > 4 && cost_rare.end >= cost_n_events();
   if (is_rest && !cost_is_static(3)) {
      cost_rare.begin = 3;
      cost_rare.end = cost_n_events();
   }
}

void cost_init(void)
{
   Bool systime = options.collect_systime != SystimeNo;
   consider(EventIr, True, "Ir", "instructions executed");
   consider_caches();
   consider_branches();
   consider_line_use();
   consider(EventGe, options.collect_bus, "Ge", "atomic instructions");
   consider(EventSysCount, systime, "sysCount", "system calls");
   consider(EventSysTime, systime, "sysTime", "time in system calls");
   consider(EventSysCpuTime, options.collect_systime == SystimeNsec, "sysCpuTime",
            "time on a processor in system calls");
   find_rare();
   set_text(EventSysTime, system_time_text());
   set_text(EventSysCpuTime, "sysCpuTime (system cpu ns)");
}

const HChar* cost_event_name(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event].name;
}

const HChar* cost_event_meaning(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event].meaning;
}

const HChar* cost_event_text(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event].text;
}
