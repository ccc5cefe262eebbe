/* SPDX-License-Identifier: GPL-2.0-or-later

   See event_table.h.  Keeps nothing.  Relies on the command line having been read.  */

#include "model/event_table.h"

#include "options/options.h"

#include "pub_tool_libcassert.h"

static Bool always(void) { return True; }
static Bool with_caches(void) { return options.cache_sim; }
static Bool with_write_back(void)
{
   return options.cache_sim && options.simulate_write_back && !options.cacheuse;
}
static Bool with_line_use(void) { return options.cache_sim && options.cacheuse; }
static Bool with_branches(void) { return options.branch_sim; }
static Bool with_bus(void) { return options.collect_bus; }
static Bool with_system_time(void) { return options.collect_systime != SystimeNo; }
static Bool with_processor_time(void) { return options.collect_systime == SystimeNsec; }
static Bool with_allocations(void) { return options.collect_alloc; }
static Bool with_estimation(void) { return options.cycle_estimation; }
static Bool with_cycle_model(void) { return options.cycle_model != 0; }

static const HChar* text_of_system_time(void)
{
   switch (options.collect_systime) {
   case SystimeMsec: return "sysTime (elapsed ms)";
   case SystimeUsec: return "sysTime (elapsed us)";
   default: return "sysTime (elapsed ns)";
   }
}
static const HChar* text_of_processor_time(void) { return "sysCpuTime (system cpu ns)"; }
static const HChar* text_of_throughput(void) { return "Cycles by throughput (1/100)"; }
static const HChar* text_of_latency(void) { return "Cycles by latency (1/100)"; }
static const HChar* text_of_cycles(void) { return "Cycles (1/100)"; }

static const EventRow rows[EVENT_KINDS] = {
   [EventIr] = {"Ir", "instructions executed", EventPaired, .is_wanted = always,
                .is_static = True},
   [EventDr] = {"Dr", "reads of data", EventPaired, .is_wanted = with_caches,
                .is_static = True, .depends_on_accesses = True},
   [EventDw] = {"Dw", "writes of data", EventPaired, .is_wanted = with_caches,
                .is_static = True, .depends_on_accesses = True},
   [EventI1mr] = {"I1mr", "instruction fetches that missed in I1", EventRare,
                  .is_wanted = with_caches},
   [EventD1mr] = {"D1mr", "reads of data that missed in D1", EventRare,
                  .is_wanted = with_caches},
   [EventD1mw] = {"D1mw", "writes of data that missed in D1", EventRare,
                  .is_wanted = with_caches},
   [EventILmr] = {"ILmr", "instruction fetches that missed in LL", EventRare,
                  .is_wanted = with_caches},
   [EventDLmr] = {"DLmr", "reads of data that missed in LL", EventRare,
                  .is_wanted = with_caches},
   [EventDLmw] = {"DLmw", "writes of data that missed in LL", EventRare,
                  .is_wanted = with_caches},
   [EventILdmr] = {"ILdmr",
                   "instruction fetches that missed in LL and had a line written back",
                   EventRare, .is_wanted = with_write_back},
   [EventDLdmr] = {"DLdmr", "reads of data that missed in LL and had a line written back",
                   EventRare, .is_wanted = with_write_back},
   [EventDLdmw] = {"DLdmw",
                   "writes of data that missed in LL and had a line written back",
                   EventRare, .is_wanted = with_write_back},
   [EventBc] = {"Bc", "conditional branches", EventPaired, .is_wanted = with_branches,
                .is_static = True},
   [EventBcm] = {"Bcm", "conditional branches mispredicted", EventSingle,
                 .is_wanted = with_branches},
   [EventBi] = {"Bi", "indirect branches", EventSingle, .is_wanted = with_branches,
                .is_static = True},
   [EventBim] = {"Bim", "indirect branches mispredicted", EventRare,
                 .is_wanted = with_branches},
   [EventAcCost1] = {"AcCost1", "1000 / uses of each line of I1 or D1", EventRare,
                     .is_wanted = with_line_use},
   [EventSpLoss1] = {"SpLoss1", "unused bytes of lines of I1 or D1", EventRare,
                     .is_wanted = with_line_use},
   [EventAcCost2] = {"AcCost2", "1000 / uses of each line of LL", EventRare,
                     .is_wanted = with_line_use},
   [EventSpLoss2] = {"SpLoss2", "unused bytes of lines of LL", EventRare,
                     .is_wanted = with_line_use},
   [EventGe] = {"Ge", "atomic instructions", EventSingle, .is_wanted = with_bus,
                .is_static = True, .depends_on_accesses = True},
   [EventSysCount] = {"sysCount", "system calls", EventRare,
                      .is_wanted = with_system_time},
   [EventSysTime] = {"sysTime", "time in system calls", EventRare,
                     .is_wanted = with_system_time, .text = text_of_system_time},
   [EventSysCpuTime] = {"sysCpuTime", "time on a processor in system calls", EventRare,
                        .is_wanted = with_processor_time, .text = text_of_processor_time},
   [EventAllocCount] = {"allocCount", "blocks of memory allocated", EventRare,
                        .is_wanted = with_allocations},
   [EventAllocSize] = {"allocSize", "bytes of memory asked for", EventRare,
                       .is_wanted = with_allocations},
   [EventFreeCount] = {"freeCount", "blocks of memory freed", EventRare,
                       .is_wanted = with_allocations},
   [EventPeakSize] = {"peakSize", "bytes held when most were", EventRare,
                      .is_wanted = with_allocations},
   [EventLeakSize] = {"leakSize", "bytes still held", EventRare,
                      .is_wanted = with_allocations},
   [EventCt] = {"Ct", "hundredths of a cycle, if bound by throughput", EventPaired,
                .is_wanted = with_estimation, .is_static = True,
                .text = text_of_throughput},
   [EventCl] = {"Cl", "hundredths of a cycle, if bound by latency", EventPaired,
                .is_wanted = with_estimation, .is_static = True, .text = text_of_latency},
   [EventCy] = {"Cy", "hundredths of a cycle", EventPaired, .is_wanted = with_cycle_model,
                .is_static = True, .text = text_of_cycles},
};

const EventRow* event_table_row(Event event)
{
   tl_assert(event < EVENT_KINDS && rows[event].name != NULL);
   return &rows[event];
}
