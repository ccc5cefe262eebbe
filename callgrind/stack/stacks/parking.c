/* SPDX-License-Identifier: GPL-2.0-or-later

   Parked stacks; see parking.h.

   Owns the parked stacks, in a tree ordered by the stack pointer at which each of their
   regions was left, highest first.  A stack is resumed there or a few words above.  So of
   several whose memory holds a stack pointer, the first one that was left at or below it
   is the right one.  (They lie within each other if a program takes a coroutine's stack
   from a local array.)

   A stack has several regions if it was left while a function of it ran on other memory
   (a stack switch frame): a coroutine may go to a scheduler's stack, and the scheduler on
   to the next coroutine.  Then it is resumed in any of them; frames of the regions above
   are not returned to.

   Of a stack with very many regions only the topmost ones are in the tree, if to insert
   all would take too long, and always the first, by which it is found as a whole.

   When a program frees a native stack, nothing tells us.  A stack seems to be dead when
   another begins in its memory, when a newer region turns out to have grown over it, or
   when the memory is unmapped.  Thus of all coroutines that left by a scheduler's stack,
   only the last one has frames there.  */

#include "stack/stacks/parking.h"

#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/stacks/shadowstack.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

/* How many regions are considered for one stack pointer: no more lie within each
   other.  */
#define MAX_CANDIDATES 32

/* As MAX_CANDIDATES, for stacks that may have been copied away from there.  */
#define MAX_VISITED_AT 256

/* A stack may be resumed below where it was left, if something was pushed for it.  */
#define MAX_PUSHED 128

typedef struct {
   Addr below_low; /* ~low: the tree ascends, and the search goes down from a stack
                      pointer */
   ParkedRegion at;
} Parked;

static OSet* parked_regions; /* of Parked, by below_low */

/* Stacks that seem to be dead, the latest ones: others are where they were.  They may
   have been moved, or copied away.  In no order; NULL where there is none.  */
#define MAX_RETIRED 256
static ShadowStack* retired[MAX_RETIRED];

/* So far below a frame's slot its function may have moved its stack pointer.  */
#define FARTHEST_SEEN 0x10000

/* One with more frames takes too much memory to be kept.  */
#define MAX_RETIRED_FRAMES 4096
static ULong sequence; /* counts parkings and new regions */

void parking_init(void)
{
   parked_regions = VG_(OSetGen_Create)(offsetof(Parked, below_low), NULL, VG_(malloc),
                                        "parking.regions", VG_(free));
}

static StackRegion* region_of(ParkedRegion at) { return &at.stack->regions[at.region]; }

/* To put all regions of a stack into the tree takes as long as there are stacks that call
   on one another.  So many may be put there, and with each stack that is parked some
   more.  */
#define REGIONS_AT_FIRST (1u << 20)
#define REGIONS_MORE 128
static UInt regions_left = REGIONS_AT_FIRST;

static struct {
   ULong parked;  /* stacks */
   ULong regions; /* that were put into the tree for them */
} work;

/* The first of the topmost regions that are divided by stack switches only.  */
static UInt first_region(const ShadowStack* stack)
{
   if (stack->n_interrupted == 0)
      return 0;
   UInt region = stack->n_regions - 1;
   while (
      !(shadowstack_at_depth(stack, stack->regions[region].depth)->flags & FrameBarrier))
      region--;
   return region;
}

/* Takes a region out of the tree, if it is there.  */
static void remove_entry(ParkedRegion at)
{
   Addr below_low = ~region_of(at)->low;
   Parked* entry = VG_(OSetGen_Lookup)(parked_regions, &below_low);
   if (entry == NULL || entry->at.stack != at.stack || entry->at.region != at.region)
      return;
   VG_(OSetGen_Remove)(parked_regions, &below_low);
   VG_(OSetGen_FreeNode)(parked_regions, entry);
}

static void insert_entry(ParkedRegion at)
{
   Addr below_low = ~region_of(at)->low;
   const Parked* known = VG_(OSetGen_Lookup)(parked_regions, &below_low);
   if (known != NULL && known->at.stack == at.stack)
      return;
   if (known != NULL)
      parking_drop(known->at); /* one left at the same address before is dead */
   Parked* entry = VG_(OSetGen_AllocNode)(parked_regions, sizeof *entry);
   entry->below_low = below_low;
   entry->at = at;
   VG_(OSetGen_Insert)(parked_regions, entry);
}

void parking_take(ShadowStack* stack)
{
   if (UNLIKELY(stack->is_retired)) {
      for (UInt i = 0; i < MAX_RETIRED; i++)
         if (retired[i] == stack)
            retired[i] = NULL;
      stack->is_retired = False;
      return;
   }
   UInt first = first_region(stack);
   remove_entry((ParkedRegion){stack, first});
   for (UInt region = stack->first_listed; region < stack->n_regions; region++)
      if (region > first)
         remove_entry((ParkedRegion){stack, region});
}

static void retire(ShadowStack* stack)
{
   if (stack->capacity > MAX_RETIRED_FRAMES) {
      shadowstack_free(stack);
      return;
   }
   UInt place = 0;
   for (UInt i = 0; i < MAX_RETIRED && retired[place] != NULL; i++)
      if (retired[i] == NULL || retired[i]->parked < retired[place]->parked)
         place = i;
   if (retired[place] != NULL)
      shadowstack_free(retired[place]);
   retired[place] = stack;
   stack->is_retired = True;
}

void parking_drop(ParkedRegion parked)
{
   if (parked.region == first_region(parked.stack)) {
      parking_take(parked.stack);
      retire(parked.stack);
      return;
   }
   remove_entry(parked);
   region_of(parked)->low = ~(Addr)0;
   region_of(parked)->end = 0;
}

/* Fills `found` with up to `room` regions that were left at or below `from` and not below
   `to`; returns their number.  */
static UInt candidates(Addr from, Addr to, ParkedRegion* found, UInt room)
{
   Addr below_low = ~from;
   UInt n = 0;
   VG_(OSetGen_ResetIterAt)(parked_regions, &below_low);
   for (Parked* entry; n < room && (entry = VG_(OSetGen_Next)(parked_regions)) != NULL;) {
      if (region_of(entry->at)->low < to)
         break;
      found[n++] = entry->at;
   }
   return n;
}

/* The memory of `parked` up to `end` is another's.  Only frames above go on.  */
static void cut_off(ParkedRegion parked, Addr end)
{
   StackRegion* region = region_of(parked);
   const Frame* base = shadowstack_at_depth(parked.stack, region->depth);
   if (region->end <= end ||
       base == shadowstack_region_top(parked.stack, parked.region) ||
       shadowstack_above(base)->slot < end) {
      parking_drop(parked);
      return;
   }
   remove_entry(parked);
   region->low = end;
   insert_entry(parked);
}

/* Cuts a region off that was left in this region's memory before this one began; True if
   there was any.  */
static Bool cut_off_overgrown(const ShadowStack* stack, const StackRegion* region)
{
   ParkedRegion found[MAX_CANDIDATES];
   UInt n = region->end > region->low
               ? candidates(region->end - 1, region->low, found, MAX_CANDIDATES)
               : 0;
   for (UInt i = 0; i < n; i++)
      if (found[i].stack != stack && found[i].stack->parked < region->created) {
         cut_off(found[i], region->end);
         return True;
      }
   return False;
}

void parking_note_new(ShadowStack* stack)
{
   StackRegion* region = shadowstack_region(stack);
   region->created = ++sequence;
   /* What began at the same place is known to be dead.  */
   ParkedRegion at = parking_find(region->end - 1);
   if (at.stack != NULL && region_of(at)->end == region->end &&
       at.region != first_region(at.stack))
      parking_drop(at);
}

/* Where a region was left whose stack pointer nobody has seen go: where it may have gone
   last, or else just below its topmost frame.  */
static Addr find_low(const ShadowStack* stack, UInt region)
{
   Addr top = shadowstack_region_top(stack, region)->slot;
   Addr seen = stack->regions[region].kept.low;
   return seen < top && top - seen < FARTHEST_SEEN ? seen : top;
}

/* Has a function that once called there, and was copied with its callees
   (crossing_park_above()), gone on elsewhere when these had returned? Then nothing of
   this stack goes on.  */
static Bool has_ended(const ShadowStack* stack)
{
   const Frame* top = shadowstack_top_of(stack);
   return shadowstack_depth(stack) == 1 && top->flags & FrameRoot &&
          stack->regions[0].end != 0 && top->slot >= stack->regions[0].end;
}

/* The lowest region of a stack that is to be put into the tree besides its first one.  */
static UInt first_to_list(const ShadowStack* stack, UInt first)
{
   UInt n = stack->n_regions - first;
   if (regions_left < REGIONS_AT_FIRST)
      regions_left += REGIONS_MORE;
   if (n > regions_left)
      n = regions_left;
   regions_left -= n;
   work.parked++;
   work.regions += n;
   return stack->n_regions - n;
}

void parking_park(ShadowStack* stack)
{
   if (has_ended(stack)) {
      shadowstack_free(stack);
      return;
   }
   UInt first = first_region(stack);
   UInt last = stack->n_regions - 1;
   UInt listed = first_to_list(stack, first);
   if (stack->regions[last].low == 0 && stack->regions[last].end != 0)
      stack->regions[last].low = find_low(stack, last);
   for (UInt i = listed; i < stack->n_regions; i++)
      while (cut_off_overgrown(stack, &stack->regions[i]))
         ;
   stack->parked = ++sequence;
   stack->first_listed = listed;
   shadowstack_shrink_parked(stack);
   insert_entry((ParkedRegion){stack, first});
   for (UInt i = listed; i < stack->n_regions; i++)
      if (i > first && stack->regions[i].end != 0)
         insert_entry((ParkedRegion){stack, i});
}

/* Fills `found` with up to MAX_CANDIDATES regions that hold `sp`, the most likely first;
   returns their number.  */
static UInt holders(Addr sp, ParkedRegion* found)
{
   if (VG_(OSetGen_Size)(parked_regions) == 0)
      return 0;
   UInt n = candidates(sp, 0, found, MAX_CANDIDATES), kept = 0;
   for (UInt i = 0; i < n; i++)
      if (sp <= region_of(found[i])->end)
         found[kept++] = found[i];
   return kept;
}

ParkedRegion parking_find(Addr sp)
{
   ParkedRegion found[MAX_CANDIDATES];
   return holders(sp, found) > 0 ? found[0] : NO_REGION;
}

ParkedRegion parking_find_above(Addr sp)
{
   ParkedRegion found[MAX_PUSHED / sizeof(Addr) + 1];
   UInt n = candidates(sp + MAX_PUSHED, sp, found, sizeof found / sizeof *found);
   return n > 0 ? found[n - 1] : NO_REGION;
}

ParkedRegion parking_find_return(Addr target, Addr sp)
{
   ParkedRegion found[MAX_CANDIDATES];
   UInt n = holders(sp, found);
   for (UInt i = 0; i < n; i++)
      if (shadowstack_find_return_in(found[i].stack, found[i].region, target, sp) != NULL)
         return found[i];
   return NO_REGION;
}

ParkedRegion parking_find_left_at(Addr low)
{
   Addr below_low = ~low;
   const Parked* entry = VG_(OSetGen_Lookup)(parked_regions, &below_low);
   return entry != NULL ? entry->at : NO_REGION;
}

UInt parking_for_each_region(void (*visit)(ParkedRegion parked), UInt most)
{
   UInt n = 0;
   for (UInt i = 0; i < MAX_RETIRED && n < most; i++)
      if (retired[i] != NULL) {
         visit((ParkedRegion){retired[i], first_region(retired[i])});
         n++;
      }
   VG_(OSetGen_ResetIter)(parked_regions);
   for (Parked* entry; n < most && (entry = VG_(OSetGen_Next)(parked_regions)) != NULL;
        n++)
      visit(entry->at);
   return n;
}

static void visit_retired_at(ShadowStack* stack, Addr sp,
                             void (*visit)(ParkedRegion parked))
{
   for (UInt region = first_region(stack); region < stack->n_regions; region++)
      if (stack->regions[region].low <= sp && stack->regions[region].end >= sp)
         visit((ParkedRegion){stack, region});
}

Bool parking_is_left_at(Addr low)
{
   ParkedRegion found;
   if (candidates(low + PARKING_PUSHED_AT_ONCE, low, &found, 1) > 0)
      return True;
   for (UInt i = 0; i < MAX_RETIRED; i++)
      if (retired[i] != NULL &&
          shadowstack_region(retired[i])->low - low <= PARKING_PUSHED_AT_ONCE)
         return True;
   return False;
}

void parking_for_each_at(Addr sp, void (*visit)(ParkedRegion parked))
{
   ParkedRegion found[MAX_VISITED_AT];
   UInt n = candidates(sp, 0, found, MAX_VISITED_AT);
   for (UInt i = 0; i < n; i++)
      if (sp <= region_of(found[i])->end)
         visit(found[i]);
   for (UInt i = 0; i < MAX_RETIRED; i++)
      if (retired[i] != NULL)
         visit_retired_at(retired[i], sp, visit);
}

void parking_for_each(void (*visit)(ShadowStack* stack))
{
   VG_(OSetGen_ResetIter)(parked_regions);
   for (Parked* entry; (entry = VG_(OSetGen_Next)(parked_regions)) != NULL;)
      if (entry->at.region == first_region(entry->at.stack))
         visit(entry->at.stack);
   for (UInt i = 0; i < MAX_RETIRED; i++)
      if (retired[i] != NULL)
         visit(retired[i]);
}

void parking_forget_range(Addr start, SizeT length)
{
   if (parked_regions == NULL || length == 0)
      return;
   ParkedRegion found;
   while (candidates(start + length - 1, start, &found, 1) > 0)
      parking_drop(found);
}

void parking_print_stats(void)
{
   VG_(umsg)("stacks were parked %llu times, known by %llu regions\n", work.parked,
             work.regions);
}

void parking_free_all(void)
{
   parking_forget_range(0, ~(SizeT)0);
   for (UInt i = 0; i < MAX_RETIRED; i++)
      if (retired[i] != NULL) {
         shadowstack_free(retired[i]);
         retired[i] = NULL;
      }
}
