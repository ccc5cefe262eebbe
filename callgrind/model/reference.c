/* SPDX-License-Identifier: GPL-2.0-or-later

   References and their events; see reference.h.  */

#include "model/reference.h"

#include "pub_tool_libcassert.h"

typedef struct {
   UInt n;    /* outcomes that are counted */
   UInt made; /* index of the event that counts references of this kind */
} KindRow;

static KindRow rows[REFERENCE_KINDS];
UChar reference_events[REFERENCE_KINDS][REFERENCE_MAX_OUTCOMES - 1];

static void set_up(ReferenceKind kind, Event made, const Event* outcomes, UInt n)
{
   KindRow* row = &rows[kind];
   row->made = cost_index(made);
   for (row->n = 0; row->n < n && cost_is_counted(outcomes[row->n]); row->n++)
      reference_events[kind][row->n] = (UChar)cost_index(outcomes[row->n]);
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
   return rows[reference->kind].n + reference->is_guarded;
}

UInt reference_event(const Reference* reference, UInt outcome)
{
   const KindRow* row = &rows[reference->kind];
   tl_assert(outcome < row->n + reference->is_guarded);
   return outcome < row->n ? reference_outcome_event(reference, outcome) : row->made;
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
