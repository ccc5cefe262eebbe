/* SPDX-License-Identifier: GPL-2.0-or-later

   Booking the waste of cache lines; see line_waste.h.

   Owns the places that lines were brought in from.  The simulator keeps their addresses
   as CacheLoader for as long as the lines stay, so they are never freed.  */

#include "machine/line_waste.h"

#include "guest/address.h"
#include "stack/frames/shadowstack_types.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Code that has brought in a cache line: the costs of all its lines are booked there.  */
typedef struct {
   VgHashNode node; /* key: a hash of the rest */
   Context* context;
   Addr file_address; /* of the instruction */
   SourceLine line;
} LoaderPlace;

static VgHashTable* places;

/* A direct-mapped table in front of that, by reference and context.  A reference may be
   freed, and its memory used for another one: so the address is compared too.  */
#define RECENT 65536
typedef struct {
   const Reference* reference;
   const Context* context;
   Addr at; /* of the instruction */
   LoaderPlace* place;
} RecentPlace;

static RecentPlace recent[RECENT];

static Word compare(const void* a, const void* b)
{
   const LoaderPlace* p = a;
   const LoaderPlace* q = b;
   return p->context != q->context || p->file_address != q->file_address ||
          !source_line_is_same(&p->line, &q->line);
}

static LoaderPlace* intern(Context* context, Addr file_address, SourceLine line)
{
   if (places == NULL)
      places = VG_(HT_construct)("line_waste.places");
   LoaderPlace sought;
   sought.node.key = file_address * 31 + (UWord)context / sizeof(UWord);
   sought.context = context;
   sought.file_address = file_address;
   sought.line = line;
   LoaderPlace* place = VG_(HT_gen_lookup)(places, &sought, compare);
   if (place == NULL) {
      place = VG_(malloc)("line_waste.place", sizeof *place);
      *place = sought;
      VG_(HT_add_node)(places, place);
   }
   return place;
}

/* Skipped code brings lines in for the call that led to it.  */
static LoaderPlace* place_of_site(Context* context, const CallSite* site)
{
   return intern(context, site->file_address, callsite_line(site));
}

static LoaderPlace* place_of_own_code(const Reference* reference, Context* context)
{
   Addr at = reference->at;
   RecentPlace* bucket =
      &recent[((UWord)reference / sizeof(Reference) + (UWord)context / sizeof(UWord)) %
              RECENT];
   if (bucket->reference != reference || bucket->context != context || bucket->at != at) {
      LoaderPlace* place =
         intern(context, address_place_of(at).file_address, address_line_of(at));
      *bucket = (RecentPlace){reference, context, at, place};
   }
   return bucket->place;
}

CacheLoader line_waste_loader(const Reference* reference)
{
   const Frame* top = shadowstack_now.top;
   if (top->flags & FrameBarrier || !shadowstack_now.stack->is_collecting)
      return 0;
   const Arc* stub = shadowstack_stub();
   if (stub != NULL)
      return (CacheLoader)place_of_site(top->context, stub->site);
   if (top->flags & FrameSkipped)
      return (CacheLoader)place_of_site(top->context, top->skipped_site);
   return (CacheLoader)place_of_own_code(reference, top->context);
}

static void book(CacheLoader loader, bool is_last_level, CacheWaste waste)
{
   const LoaderPlace* place = (const LoaderPlace*)loader;
   ULong cost[COST_MAX_EVENTS] = {0};
   cost[cost_index(is_last_level ? EventAcCost2 : EventAcCost1)] = waste.access_cost;
   cost[cost_index(is_last_level ? EventSpLoss2 : EventSpLoss1)] = waste.spatial_loss;
   context_add_cost(place->context, place->file_address, place->line, cost);
}

CacheWasteReport* line_waste_report(void)
{
   return shadowstack_now.stack->is_collecting ? book : NULL;
}

Bool line_waste_is_event(UInt event)
{
   return cost_is_counted(EventAcCost1) && event >= cost_index(EventAcCost1) &&
          event <= cost_index(EventSpLoss2);
}
