/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding the static events of a statement; see static_events.h.  */

#include "instrument/static_events.h"

/* An atomic instruction locks the bus.  VEX translates it to a compare-and-swap, or to a
   conditional store where the guest has one.  */
static Bool is_global_bus_event(const IRStmt* statement)
{
   return statement->tag == Ist_CAS ||
          (statement->tag == Ist_LLSC && statement->Ist.LLSC.storedata != NULL);
}

UInt static_events_in(const IRSB* in, const ReferencePlan* plan, UInt i,
                      StaticEvent* found)
{
   UInt n = 0;
   if (cost_is_counted(EventGe) && i < (UInt)in->stmts_used &&
       is_global_bus_event(in->stmts[i])) {
      found[n].event = (UChar)cost_index(EventGe);
      found[n++].count = 1;
   }
   for (UInt r = reference_plan_first_at(plan, i);
        r < plan->n && plan->statements[r] == i; r++) {
      const Reference* reference = &plan->references[r];
      if (reference->kind == ReferenceFetch || reference->is_guarded)
         continue;
      found[n].event = (UChar)reference_made_event((ReferenceKind)reference->kind);
      found[n++].count = 1;
   }
   return n;
}
