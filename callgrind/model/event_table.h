/* SPDX-License-Identifier: GPL-2.0-or-later

   All events that the tool knows: a row each.  Nothing else lists them; CONTRIBUTING.md
   ("A new event") says what a new one needs besides.  What this run counts of them, and
   where in a vector of counts each is, cost.h says.  */

#ifndef CALLGRIND_EVENT_TABLE_H
#define CALLGRIND_EVENT_TABLE_H

#include "core_version.h"
#include "pub_tool_basics.h"

/* All that can be counted, in the order in which a profile lists them.  */
typedef enum {
   EventIr,         /* instructions */
   EventDr,         /* data reads */
   EventDw,         /* data writes; of an instruction that reads and writes one place,
                    only this */
   EventI1mr,       /* fetches that the first-level cache did not serve */
   EventD1mr,       /* data reads that it did not serve */
   EventD1mw,       /* data writes that it did not serve */
   EventILmr,       /* fetches that no cache served */
   EventDLmr,       /* data reads that no cache served */
   EventDLmw,       /* data writes that no cache served */
   EventILdmr,      /* those of EventILmr that had a changed line written back */
   EventDLdmr,      /* those of EventDLmr */
   EventDLdmw,      /* those of EventDLmw */
   EventBc,         /* conditional branches */
   EventBcm,        /* those of them that were mispredicted */
   EventBi,         /* indirect branches */
   EventBim,        /* those of them that were mispredicted */
   EventAcCost1,    /* how little a line of the first level was used while it was there */
   EventSpLoss1,    /* bytes of it that were not used */
   EventAcCost2,    /* how little a line of the last level was used */
   EventSpLoss2,    /* bytes of it that were not used */
   EventGe,         /* global bus events: atomic instructions */
   EventSysCount,   /* system calls */
   EventSysTime,    /* what they took, in the unit of --collect-systime */
   EventSysCpuTime, /* what of it the thread spent on a processor, in ns */
   EventAllocCount, /* blocks of memory allocated */
   EventAllocSize,  /* bytes that were asked for */
   EventFreeCount,  /* blocks freed */
   EventPeakSize,   /* bytes held when all that was held was most */
   EventLeakSize,   /* bytes held at the end */
   EventCt,         /* hundredths of cycles: the instructions' reciprocal throughputs */
   EventCl,         /* and their latencies */
   EventCy,         /* what they take together, misses and mispredictions included */
   EVENT_KINDS
} Event;

/* How generated code adds an event to the clock.  In a vector, events are in this order;
   within one place static ones come first, and then they are in the order of Event.  So
   the static ones are the first of a vector, and the frequent ones are.  */
typedef enum {
   EventPaired, /* inline, in most straight runs, two at once if the host can; static */
   EventSingle, /* inline, by itself */
   EventRare    /* not inline: a helper adds it; not static */
} EventPlace;

typedef struct {
   const HChar* name;    /* in `events:`, in options and in tables */
   const HChar* meaning; /* in a few words */
   EventPlace place;
   Bool
      is_static; /* known at translation: each execution of a straight run adds as much */
   Bool depends_on_accesses; /* on which memory an instruction accesses, or how */
   Bool (*is_wanted)(void);  /* do the options want it? */
   /* What the profile's `event:` line says, if the name does not say it all; otherwise
      NULL.  */
   const HChar* (*text)(void);
} EventRow;

/* The row of an event, which is never freed.  */
const EventRow* event_table_row(Event event);

#endif
