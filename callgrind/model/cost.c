/* SPDX-License-Identifier: GPL-2.0-or-later

   Which events are counted; see cost.h.  Owns the clock.  */

#include "model/cost.h"

#include "guest/arch.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS] __attribute__((aligned(64)));
UInt cost_event_count, cost_frequent_count, cost_paired_count;
UInt cost_indices[EVENT_KINDS];
UChar cost_order[COST_MAX_EVENTS];

typedef struct {
   const HChar* name;
   const HChar* meaning;
   const HChar* text; /* cost_event_text() */
} EventRow;

static EventRow rows[EVENT_KINDS]; /* those without a name are not counted */
static EventRow* counted[COST_MAX_EVENTS];

static void register_event(Event event, Bool is_counted, const HChar* name,
                           const HChar* meaning)
{
   if (is_counted)
      rows[event] = (EventRow){name, meaning, NULL};
}

static void set_text(Event event, const HChar* text) { rows[event].text = text; }

static const HChar* system_time_text(void)
{
   switch (options.collect_systime) {
   case SystimeMsec: return "sysTime (elapsed ms)";
   case SystimeUsec: return "sysTime (elapsed us)";
   default: return "sysTime (elapsed ns)";
   }
}

static void register_cache_events(void)
{
   Bool caches = options.cache_sim;
   Bool write_back = caches && options.simulate_write_back && !options.cacheuse;
   register_event(EventDr, caches, "Dr", "reads of data");
   register_event(EventDw, caches, "Dw", "writes of data");
   register_event(EventI1mr, caches, "I1mr", "instruction fetches that missed in I1");
   register_event(EventD1mr, caches, "D1mr", "reads of data that missed in D1");
   register_event(EventD1mw, caches, "D1mw", "writes of data that missed in D1");
   register_event(EventILmr, caches, "ILmr", "instruction fetches that missed in LL");
   register_event(EventDLmr, caches, "DLmr", "reads of data that missed in LL");
   register_event(EventDLmw, caches, "DLmw", "writes of data that missed in LL");
   register_event(EventILdmr, write_back, "ILdmr",
                  "instruction fetches that missed in LL and had a line written back");
   register_event(EventDLdmr, write_back, "DLdmr",
                  "reads of data that missed in LL and had a line written back");
   register_event(EventDLdmw, write_back, "DLdmw",
                  "writes of data that missed in LL and had a line written back");
}

static void register_branch_events(void)
{
   register_event(EventBc, options.branch_sim, "Bc", "conditional branches");
   register_event(EventBcm, options.branch_sim, "Bcm",
                  "conditional branches mispredicted");
   register_event(EventBi, options.branch_sim, "Bi", "indirect branches");
   register_event(EventBim, options.branch_sim, "Bim", "indirect branches mispredicted");
}

static void register_line_use_events(void)
{
   Bool use = options.cacheuse && options.cache_sim;
   register_event(EventAcCost1, use, "AcCost1", "1000 / uses of each line of I1 or D1");
   register_event(EventSpLoss1, use, "SpLoss1", "unused bytes of lines of I1 or D1");
   register_event(EventAcCost2, use, "AcCost2", "1000 / uses of each line of LL");
   register_event(EventSpLoss2, use, "SpLoss2", "unused bytes of lines of LL");
}

Bool cost_is_static(UInt index)
{
   static const Event events[] = {EventIr, EventDr, EventDw, EventBc, EventBi,
                                  EventGe, EventCt, EventCl, EventCy};
   for (UInt i = 0; i < sizeof events / sizeof events[0]; i++)
      if (cost_index(events[i]) == index)
         return True;
   return False;
}

/* The next place in a vector is that of `event`, if it is counted and has none yet.  */
static void place(Event event)
{
   if (rows[event].name == NULL || cost_index(event) != COST_NOT_COUNTED)
      return;
   tl_assert(cost_event_count < COST_MAX_EVENTS);
   counted[cost_event_count] = &rows[event];
   cost_indices[event] = cost_event_count++;
}

/* Finds out where in a vector each event is.  */
static void place_all(void)
{
   static const Event paired[] = {EventIr, EventDr, EventDw, EventBc,
                                  EventCt, EventCl, EventCy};
   static const Event single[] = {EventBi, EventGe, EventBcm};
   for (UInt event = 0; event < EVENT_KINDS; event++)
      cost_indices[event] = COST_NOT_COUNTED;
   for (UInt i = 0; i < sizeof paired / sizeof paired[0]; i++)
      place(paired[i]);
   cost_paired_count = ARCH_COUNTS_IN_PAIRS ? cost_event_count & ~1u : 0;
   for (UInt i = 0; i < sizeof single / sizeof single[0]; i++)
      place(single[i]);
   cost_frequent_count = cost_event_count;
   UInt n = 0;
   for (UInt event = 0; event < EVENT_KINDS; event++) {
      place((Event)event);
      if (cost_is_counted((Event)event))
         cost_order[n++] = (UChar)cost_index((Event)event);
   }
}

UInt cost_list(const ULong* cost, UInt least, ULong* listed)
{
   UInt n = least;
   for (UInt i = 0; i < cost_n_events(); i++) {
      listed[i] = cost[cost_listed(i)];
      if (listed[i] != 0 && i >= n)
         n = i + 1;
   }
   return n;
}

void cost_init(void)
{
   Bool systime = options.collect_systime != SystimeNo;
   register_event(EventIr, True, "Ir", "instructions executed");
   register_cache_events();
   register_branch_events();
   register_line_use_events();
   register_event(EventGe, options.collect_bus, "Ge", "atomic instructions");
   register_event(EventSysCount, systime, "sysCount", "system calls");
   register_event(EventSysTime, systime, "sysTime", "time in system calls");
   register_event(EventSysCpuTime, options.collect_systime == SystimeNsec, "sysCpuTime",
                  "time on a processor in system calls");
   register_event(EventCt, options.cycle_estimation, "Ct",
                  "hundredths of a cycle, if bound by throughput");
   register_event(EventCl, options.cycle_estimation, "Cl",
                  "hundredths of a cycle, if bound by latency");
   register_event(EventCy, options.cycle_model != 0, "Cy", "hundredths of a cycle");
   set_text(EventSysTime, system_time_text());
   set_text(EventSysCpuTime, "sysCpuTime (system cpu ns)");
   set_text(EventCt, "Cycles by throughput (1/100)");
   set_text(EventCl, "Cycles by latency (1/100)");
   set_text(EventCy, "Cycles (1/100)");
   place_all();
}

const HChar* cost_event_name(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event]->name;
}

const HChar* cost_event_meaning(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event]->meaning;
}

const HChar* cost_event_text(UInt event)
{
   tl_assert(event < cost_event_count);
   return counted[event]->text;
}
