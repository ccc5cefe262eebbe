/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding the static events of a statement; see static_events.h.  */

#include "instrument/shape/static_events.h"

#include "cycles/instruction_cycles.h"

/* An atomic instruction locks the bus.  VEX translates it to a compare-and-swap, or to a
   conditional store where the guest has one.  */
static Bool is_global_bus_event(const IRStmt* statement)
{
   return statement->tag == Ist_CAS ||
          (statement->tag == Ist_LLSC && statement->Ist.LLSC.storedata != NULL);
}

static UInt add_cycles(StaticEvent* found, UInt n, Event event, UInt cycles)
{
   if (cycles == 0)
      return n;
   found[n].event = (UShort)cost_index(event);
   found[n].count = (UShort)(cycles < 0xffff ? cycles : 0xffff);
   return n + 1;
}

/* What the instruction that begins here costs by itself.  */
static UInt cycles_of(const IRStmt* mark, StaticEvent* found)
{
   InstructionCycles cycles =
      instruction_cycles((const UChar*)(Addr)mark->Ist.IMark.addr, mark->Ist.IMark.len);
   UInt n = add_cycles(found, 0, EventCt, cycles.throughput);
   return add_cycles(found, n, EventCl, cycles.latency);
}

UInt static_events_in(const IRSB* in, const ReferencePlan* plan,
                      const SuperblockCycles* cycles, UInt i, StaticEvent* found)
{
   UInt n = 0;
   if (i < (UInt)in->stmts_used && in->stmts[i]->tag == Ist_IMark) {
      if (cost_is_counted(EventCt))
         n = cycles_of(in->stmts[i], found);
      if (cost_is_counted(EventCy))
         n = add_cycles(found, n, EventCy, superblock_cycles_of(cycles, i));
   }
   if (cost_is_counted(EventGe) && i < (UInt)in->stmts_used &&
       is_global_bus_event(in->stmts[i])) {
      found[n].event = (UShort)cost_index(EventGe);
      found[n++].count = 1;
   }
   for (UInt r = reference_plan_first_at(plan, i);
        r < plan->n && plan->statements[r] == i; r++) {
      const Reference* reference = &plan->references[r];
      if (reference->kind == ReferenceFetch || reference->is_guarded)
         continue;
      found[n].event = (UShort)reference_made_event((ReferenceKind)reference->kind);
      found[n++].count = 1;
   }
   return n;
}
