/* SPDX-License-Identifier: GPL-2.0-or-later

   See line_waste.h.  Owns the places that lines were brought in from; they live to the end of
   the run, as the simulator keeps them for as long as it likes.  */

#include "machine/line_waste.h"

#include "guest/address.h"
#include "stack/shadowstack_types.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node;
   Context* context;
   Addr file_address;
   SourceLine line;
} LinePlace;

static VgHashTable* places;

/* In front of the table, by reference and context.  */
#define RECENT 4096
static struct {
   const Reference* reference;
   const Context* context;
   Addr at;
   LinePlace* place;
} recent[RECENT];

static Word compare(const void* a, const void* b)
{
   const LinePlace* p = a;
   const LinePlace* q = b;
   return p->context != q->context || p->file_address != q->file_address ||
          !source_line_is_same(&p->line, &q->line);
}

static LinePlace* intern(Context* context, Addr file_address, SourceLine line)
{
   if (places == NULL)
      places = VG_(HT_construct)("line_use.places");
   LinePlace sought;
   sought.node.key = file_address * 31 + (UWord)context / sizeof(UWord);
   sought.context = context;
   sought.file_address = file_address;
   sought.line = line;
   LinePlace* place = VG_(HT_gen_lookup)(places, &sought, compare);
   if (place == NULL) {
      place = VG_(malloc)("line_use.place", sizeof *place);
      *place = sought;
      VG_(HT_add_node)(places, place);
   }
   return place;
}

/* Code that is not shown brings lines in for the call that led to it.  */
static LinePlace* place_of_site(Context* context, const CallSite* site)
{
   return intern(context, site->file_address, callsite_line(site));
}

static LinePlace* place_of_own_code(const Reference* reference, Context* context)
{
   UWord line =
      ((UWord)reference / sizeof(Reference) + (UWord)context / sizeof(UWord)) % RECENT;
   if (recent[line].reference != reference || recent[line].context != context ||
       recent[line].at != reference_at(reference)) {
      recent[line].reference = reference;
      recent[line].context = context;
      recent[line].at = reference_at(reference);
      recent[line].place =
         intern(context, address_place_of(reference_at(reference)).file_address,
                address_line_of(reference_at(reference)));
   }
   return recent[line].place;
}

CacheLoader line_waste_loader(const Reference* reference)
{
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameBarrier || !shadowstack_now.stack->is_collecting)
      return 0;
   const Arc* stub = shadowstack_now.at.stub;
   if (stub != NULL)
      return (CacheLoader)place_of_site(top->context, stub->site);
   if (top->flags & FrameSkipped)
      return (CacheLoader)place_of_site(top->context, top->skipped_site);
   return (CacheLoader)place_of_own_code(reference, top->context);
}

static void book(CacheLoader loader, bool is_last_level, CacheWaste waste)
{
   const LinePlace* place = (const LinePlace*)loader;
   ULong cost[COST_MAX_EVENTS] = {0};
   cost[cost_index(is_last_level ? EventAcCost2 : EventAcCost1)] = waste.access_cost;
   cost[cost_index(is_last_level ? EventSpLoss2 : EventSpLoss1)] = waste.spatial_loss;
   context_add_cost(place->context, place->file_address, place->line, cost);
}

CacheWasteReport* line_waste_listener(void)
{
   return shadowstack_now.stack->is_collecting ? book : NULL;
}

Bool line_waste_is_event(UInt event)
{
   return cost_is_counted(EventAcCost1) && event >= cost_index(EventAcCost1) &&
          event <= cost_index(EventSpLoss2);
}
