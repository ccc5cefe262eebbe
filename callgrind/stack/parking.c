/* SPDX-License-Identifier: GPL-2.0-or-later

   Parked stacks; see parking.h.

   Owns the parked stacks, in a tree ordered by the stack pointer at which each was left,
   highest first.  A stack is resumed there or a few words above.  So of several whose
   memory holds a stack pointer, the first one that was left at or below it is the right
   one.  (They lie within each other if a program takes a coroutine's stack from a local
   array.)

   When a program frees a native stack, nothing tells us.  The next stack in the same
   memory takes the shadow stack over; the others are freed when the memory is
   unmapped, or when a newer stack turns out to have grown over them.  */

#include "stack/parking.h"

#include "stack/shadowstack.h"
#include "stack/shadowstack_activations.h"
#include "stack/shadowstack_regions.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

/* How many stacks are considered for one stack pointer: no more lie within each
   other.  */
#define MAX_CANDIDATES 32

typedef struct {
   Addr below_low; /* ~low: the tree ascends, and the search goes down from a stack
                      pointer */
   ShadowStack* stack;
} Parked;

static OSet* parked_stacks; /* of Parked, by below_low */
static ULong sequence;      /* counts parkings and new stacks */

void parking_init(void)
{
   parked_stacks = VG_(OSetGen_Create)(offsetof(Parked, below_low), NULL, VG_(malloc),
                                       "parking.stacks", VG_(free));
}

static Addr low_of(const ShadowStack* stack) { return shadowstack_region(stack)->low; }

static void remove_entry(ShadowStack* stack)
{
   Addr below_low = ~low_of(stack);
   Parked* entry = VG_(OSetGen_Remove)(parked_stacks, &below_low);
   if (entry != NULL)
      VG_(OSetGen_FreeNode)(parked_stacks, entry);
}

static void forget(ShadowStack* stack)
{
   remove_entry(stack);
   shadowstack_free(stack);
}

/* Fills `found` with up to `room` stacks that were left at or below `from` and not below
   `to`; returns their number.  */
static UInt candidates(Addr from, Addr to, ShadowStack** found, UInt room)
{
   Addr below_low = ~from;
   UInt n = 0;
   VG_(OSetGen_ResetIterAt)(parked_stacks, &below_low);
   for (Parked* entry; n < room && (entry = VG_(OSetGen_Next)(parked_stacks)) != NULL;) {
      if (low_of(entry->stack) < to)
         break;
      found[n++] = entry->stack;
   }
   return n;
}

/* Forgets the stacks that were left in this stack's memory before it began.  (The stack
   that a thread began on was always there.)  */
static void forget_overgrown(const ShadowStack* stack)
{
   ShadowStack* found[MAX_CANDIDATES];
   UInt n =
      candidates(shadowstack_region(stack)->end, low_of(stack), found, MAX_CANDIDATES);
   for (UInt i = 0; i < n; i++)
      if (found[i]->parked < stack->created)
         forget(found[i]);
}

void parking_note_new(ShadowStack* stack) { stack->created = ++sequence; }

void parking_park(ShadowStack* stack)
{
   forget_overgrown(stack);
   stack->parked = ++sequence;
   shadowstack_shrink_parked(stack);
   Addr below_low = ~low_of(stack);
   Parked* entry = VG_(OSetGen_Lookup)(parked_stacks, &below_low);
   if (entry != NULL)
      forget(entry->stack); /* one left at the same address before is dead */
   entry = VG_(OSetGen_AllocNode)(parked_stacks, sizeof *entry);
   entry->below_low = below_low;
   entry->stack = stack;
   VG_(OSetGen_Insert)(parked_stacks, entry);
}

/* Fills `found` with up to MAX_CANDIDATES stacks that hold `sp`, the most likely first;
   returns their number.  */
static UInt holders(Addr sp, ShadowStack** found)
{
   if (VG_(OSetGen_Size)(parked_stacks) == 0)
      return 0;
   UInt n = candidates(sp, 0, found, MAX_CANDIDATES), kept = 0;
   for (UInt i = 0; i < n; i++)
      if (sp <= shadowstack_region(found[i])->end)
         found[kept++] = found[i];
   return kept;
}

ShadowStack* parking_find(Addr sp)
{
   ShadowStack* found[MAX_CANDIDATES];
   return holders(sp, found) > 0 ? found[0] : NULL;
}

ShadowStack* parking_find_return(Addr target, Addr sp)
{
   ShadowStack* found[MAX_CANDIDATES];
   UInt n = holders(sp, found);
   for (UInt i = 0; i < n; i++)
      if (shadowstack_find_return(found[i], target, sp) != NULL)
         return found[i];
   return NULL;
}

ShadowStack* parking_find_left_at(Addr low)
{
   Addr below_low = ~low;
   const Parked* entry = VG_(OSetGen_Lookup)(parked_stacks, &below_low);
   return entry != NULL ? entry->stack : NULL;
}

void parking_take(ShadowStack* stack) { remove_entry(stack); }

void parking_for_each(void (*visit)(ShadowStack* stack))
{
   VG_(OSetGen_ResetIter)(parked_stacks);
   for (Parked* entry; (entry = VG_(OSetGen_Next)(parked_stacks)) != NULL;)
      visit(entry->stack);
}

void parking_forget_range(Addr start, SizeT length)
{
   if (parked_stacks == NULL || length == 0)
      return;
   ShadowStack* found[MAX_CANDIDATES];
   UInt n;
   do {
      n = candidates(start + length - 1, start, found, MAX_CANDIDATES);
      for (UInt i = 0; i < n; i++)
         forget(found[i]);
   } while (n == MAX_CANDIDATES);
}

void parking_free_all(void) { parking_forget_range(0, ~(SizeT)0); }
