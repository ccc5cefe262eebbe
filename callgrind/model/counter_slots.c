/* SPDX-License-Identifier: GPL-2.0-or-later

   Counter slots; see counter_slots.h.

   Slots that were given back are kept by their number, and taken again by the next block
   that needs as many.  */

#include "model/counter_slots.h"

#include "model/function_table.h"

#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Blocks with more slots than this are too rare for keeping theirs.  */
#define FREE_LISTS 64

typedef struct {
   UInt end; /* the first slot that was never taken */

   /* FREE_LISTS of first slots (UInt), by number of slots - 1; each NULL if it is empty.
      NULL if none was ever given back, as nearly always.  */
   XArray** free;
} FunctionSlots;

static FunctionTable table = {"counter_slots.functions", sizeof(FunctionSlots), NULL, 0};

static FunctionSlots* slots_of(const Function* function)
{
   return function_table_at(&table, function->id);
}

UInt counter_slots_take(const Function* function, UInt n)
{
   FunctionSlots* of = slots_of(function);
   if (n >= 1 && n <= FREE_LISTS && of->free != NULL) {
      XArray* free = of->free[n - 1];
      if (free != NULL && VG_(sizeXA)(free) > 0) {
         UInt slot = *(UInt*)VG_(indexXA)(free, VG_(sizeXA)(free) - 1);
         VG_(dropTailXA)(free, 1);
         return slot;
      }
   }
   UInt slot = of->end;
   of->end += n;
   return slot;
}

void counter_slots_give_back(const Function* function, UInt slot, UInt n)
{
   if (n < 1 || n > FREE_LISTS)
      return;
   FunctionSlots* of = slots_of(function);
   if (of->free == NULL)
      of->free = VG_(calloc)("counter_slots.free", FREE_LISTS, sizeof *of->free);
   XArray** free = &of->free[n - 1];
   if (*free == NULL)
      *free = VG_(newXA)(VG_(malloc), "counter_slots.free", VG_(free), sizeof(UInt));
   VG_(addToXA)(*free, &slot);
}

UInt counter_slots_end(const Function* function) { return slots_of(function)->end; }
