/* SPDX-License-Identifier: GPL-2.0-or-later

   See static_events.h.  */

#include "static_events.h"

/* An atomic instruction locks the bus: VEX makes a compare-and-swap of it, or, where the
   guest has such a thing, a conditional store.  */
static Bool is_global_bus_event(const IRStmt* statement)
{
   return statement->tag == Ist_CAS ||
          (statement->tag == Ist_LLSC && statement->Ist.LLSC.storedata != NULL);
}

UInt static_events_in(const IRStmt* statement, StaticEvent* found)
{
   UInt n = 0;
   if (cost_is_counted(EventGe) && is_global_bus_event(statement)) {
      found[n].event = (UChar)cost_index(EventGe);
      found[n++].count = 1;
   }
   return n;
}
