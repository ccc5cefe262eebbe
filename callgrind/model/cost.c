/* SPDX-License-Identifier: GPL-2.0-or-later

   Which events are counted; see cost.h.  Owns the clock.  */

#include "model/cost.h"

#include "guest/arch.h"

#include "pub_tool_libcassert.h"

ULong cost_clock[COST_MAX_EVENTS] __attribute__((aligned(64)));
UInt cost_event_count, cost_frequent_count, cost_paired_count;
UInt cost_indices[EVENT_KINDS];
UChar cost_order[COST_MAX_EVENTS];

static Event counted[COST_MAX_EVENTS]; /* by index in a vector */

Bool cost_is_static(UInt index)
{
   return index < cost_event_count && event_table_row(counted[index])->is_static;
}

Bool cost_depends_on_accesses(void)
{
   for (UInt i = 0; i < cost_event_count; i++)
      if (event_table_row(counted[i])->depends_on_accesses)
         return True;
   return False;
}

/* The next places in a vector are those of the static events with this place that are
   wanted, or of the others.  */
static void add_all(EventPlace place, Bool are_static)
{
   for (UInt event = 0; event < EVENT_KINDS; event++) {
      const EventRow* row = event_table_row((Event)event);
      if (row->place != place || row->is_static != are_static || !row->is_wanted())
         continue;
      tl_assert(cost_event_count < COST_MAX_EVENTS);
      counted[cost_event_count] = (Event)event;
      cost_indices[event] = cost_event_count++;
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
   for (UInt event = 0; event < EVENT_KINDS; event++)
      cost_indices[event] = COST_NOT_COUNTED;
   add_all(EventPaired, True);
   cost_paired_count = ARCH_COUNTS_IN_PAIRS ? cost_event_count & ~1u : 0;
   add_all(EventSingle, True);
   add_all(EventSingle, False);
   cost_frequent_count = cost_event_count;
   add_all(EventRare, False);
   UInt n = 0;
   for (UInt event = 0; event < EVENT_KINDS; event++)
      if (cost_is_counted((Event)event))
         cost_order[n++] = (UChar)cost_index((Event)event);
}

static const EventRow* row_at(UInt index)
{
   tl_assert(index < cost_event_count);
   return event_table_row(counted[index]);
}

const HChar* cost_event_name(UInt index) { return row_at(index)->name; }

const HChar* cost_event_meaning(UInt index) { return row_at(index)->meaning; }

const HChar* cost_event_text(UInt index)
{
   const EventRow* row = row_at(index);
   return row->text != NULL ? row->text() : NULL;
}
