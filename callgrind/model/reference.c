/* SPDX-License-Identifier: GPL-2.0-or-later

   References and their events; see reference.h.  */

#include "model/reference.h"

#include "pub_tool_libcassert.h"

typedef struct {
   UInt n;      /* outcomes that have an event that is counted */
   UInt n_late; /* outcomes that only cost cycles, from LateSecondMiss on */
   UInt made;   /* index of the event that counts references of this kind */
} KindRow;

static KindRow rows[REFERENCE_KINDS];
UChar reference_events[REFERENCE_KINDS][REFERENCE_MAX_OUTCOMES - 3];

static void set_up(ReferenceKind kind, Event made, const Event* outcomes, UInt n)
{
   KindRow* row = &rows[kind];
   row->made = cost_index(made);
   for (row->n = 0; row->n < n && cost_is_counted(outcomes[row->n]); row->n++)
      reference_events[kind][row->n] = (UChar)cost_index(outcomes[row->n]);
   Bool is_branch = kind == ReferenceConditional || kind == ReferenceIndirect;
   row->n_late = row->n == 0 || !cost_is_counted(EventCy) ? 0
                 : is_branch                              ? 1
                             : REFERENCE_LATE - LateSecondMiss;
}

void reference_init(void)
{
   static const Event fetch[] = {EventI1mr, EventILmr, EventILdmr};
   static const Event read[] = {EventD1mr, EventDLmr, EventDLdmr};
   static const Event write[] = {EventD1mw, EventDLmw, EventDLdmw};
   static const Event conditional = EventBcm, indirect = EventBim;
   set_up(ReferenceFetch, EventIr, fetch, 3);
   set_up(ReferenceRead, EventDr, read, 3);
   set_up(ReferenceWrite, EventDw, write, 3);
   set_up(ReferenceConditional, EventBc, &conditional, 1);
   set_up(ReferenceIndirect, EventBi, &indirect, 1);
}

UInt reference_n_outcomes(const Reference* reference)
{
   const KindRow* row = &rows[reference->kind];
   return row->n + row->n_late + reference->is_guarded;
}

UInt reference_event(const Reference* reference, UInt outcome)
{
   const KindRow* row = &rows[reference->kind];
   tl_assert(outcome < reference_n_outcomes(reference));
   if (outcome < row->n)
      return reference_outcome_event(reference, outcome);
   return outcome < row->n + row->n_late ? COST_NOT_COUNTED : row->made;
}

Bool reference_may_be_late(const Reference* reference, UInt late)
{
   const KindRow* row = &rows[reference->kind];
   if (!cost_is_counted(EventCy))
      return False;
   return late < LateSecondMiss ? late < row->n : late - LateSecondMiss < row->n_late;
}

UInt reference_late_outcome(const Reference* reference, UInt late)
{
   return late < LateSecondMiss ? late : rows[reference->kind].n + late - LateSecondMiss;
}

static PackedReference pack(const Reference* reference, const PackedReference* at)
{
   ULong distance = (ULong)(at - (const PackedReference*)reference);
   Long address = (Long)reference->address;
   tl_assert(distance <= PACKED_DISTANCE);
   Bool has_room =
      !reference->is_guarded && address == (Int)address && reference->size <= PACKED_SIZE;
   return (has_room ? reference->argument : PACKED_INCOMPLETE) |
          (reference->kind == ReferenceWrite ? PACKED_WRITES : 0) |
          (ULong)(has_room ? reference->size : 0) << PACKED_SIZE_SHIFT |
          distance << PACKED_DISTANCE_SHIFT | (ULong)address << 32;
}

UInt reference_pack(const Reference* references, UInt n, PackedReference* packed)
{
   UInt count = 0, last = 0; /* `last`: data references up to the end of the last group */
   for (UInt i = 0; i < n; i++) {
      if (reference_is_data(&references[i])) {
         if (packed != NULL)
            packed[count] = pack(&references[i], &packed[count]);
         count++;
      }
      if (references[i].is_last) {
         if (packed != NULL && count > last)
            packed[count - 1] |= PACKED_IS_LAST;
         last = count;
      }
   }
   return count;
}

UInt reference_made_event(ReferenceKind kind) { return rows[kind].made; }

SizedReference reference_sized(const Reference* reference)
{
   tl_assert(((UWord)reference & SIZED_REFERENCE_INCOMPLETE) == 0);
   UInt bits = 0;
   while (bits < SIZED_REFERENCE_INCOMPLETE && 1u << bits != reference->size)
      bits++;
   return (UWord)reference | bits;
}
