/* SPDX-License-Identifier: GPL-2.0-or-later

   See alloc_owners.h.  */

#include "model/allocations/alloc_owners.h"

#include "base/table.h"
#include "model/allocations/alloc_paths.h"
#include "model/tree/tree_node.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

/* What is booked at dumps, since the clock knows nothing of it.  */
enum { AtPeak, AtEnd };

typedef struct {
   UInt number;
   AllocPlace place;
   ULong blocks, bytes, frees;       /* that are not booked yet */
   ULong held;                       /* bytes */
   ULong at_peak;                    /* bytes at peak number `peak` */
   ULong peak;                       /* the last one, when `held` changed */
   ULong booked[ALLOC_PATH_AMOUNTS]; /* of AtPeak and AtEnd */
} AllocOwner;

#define CHUNK_BITS 10
#define CHUNK (1u << CHUNK_BITS)
#define MAX_CHUNKS 16384

static AllocOwner* chunks[MAX_CHUNKS];
static UInt n_owners;
static Table table;

static ULong held_now, held_at_peak;
static ULong peaks = 1; /* the number of the last peak */

UInt alloc_owners_count(void) { return n_owners; }

ULong alloc_owners_held(void) { return held_now; }

ULong alloc_owners_peak(void) { return held_at_peak; }

static AllocOwner* owner_at(UInt number)
{
   return &chunks[number >> CHUNK_BITS][number & (CHUNK - 1)];
}

static Bool is_sought(const void* record, const void* wanted)
{
   const AllocPlace* place = &((const AllocOwner*)record)->place;
   const AllocPlace* sought = wanted;
   return place->path == sought->path && place->site == sought->site &&
          place->node == sought->node && place->context == sought->context;
}

static ULong hash_of(const AllocPlace* place)
{
   return ((UWord)place->site >> 4) * CHECKSUM_FACTOR ^ place->path * HASH_FACTOR ^
          (UWord)place->node << 7 ^ (UWord)place->context << 13;
}

UInt alloc_owner_at(const AllocPlace* place)
{
   const ULong hash = hash_of(place);
   const AllocOwner* found = table_find(&table, hash, is_sought, place);
   if (LIKELY(found != NULL))
      return found->number;
   const UInt number = ++n_owners;
   tl_assert2(number >> CHUNK_BITS < MAX_CHUNKS, "more owners than there can be");
   if (chunks[number >> CHUNK_BITS] == NULL)
      chunks[number >> CHUNK_BITS] =
         VG_(calloc)("alloc_owners.chunk", CHUNK, sizeof(AllocOwner));
   AllocOwner* owner = owner_at(number);
   owner->number = number;
   owner->place = *place;
   table_add(&table, hash, owner);
   return number;
}

void alloc_owner_count(UInt owner, ULong blocks, ULong bytes)
{
   owner_at(owner)->blocks += blocks;
   owner_at(owner)->bytes += bytes;
}

void alloc_owner_count_free(UInt owner) { owner_at(owner)->frees++; }

static ULong at_peak(const AllocOwner* owner)
{
   return owner->peak == peaks ? owner->at_peak : owner->held;
}

static void change(AllocOwner* owner, ULong bytes)
{
   owner->at_peak = at_peak(owner);
   owner->peak = peaks;
   owner->held += bytes;
   held_now += bytes;
}

void alloc_owner_hold(UInt owner, ULong bytes)
{
   change(owner_at(owner), bytes);
   if (held_now >= held_at_peak) {
      held_at_peak = held_now;
      peaks++;
   }
}

void alloc_owner_release(UInt owner, ULong bytes) { change(owner_at(owner), -bytes); }

/* What has to be added to what is booked.  */
static void find_changes(AllocOwner* owner, ULong* changes)
{
   const ULong amounts[ALLOC_PATH_AMOUNTS] = {
      [AtPeak] = at_peak(owner), [AtEnd] = owner->held};
   for (UInt i = 0; i < ALLOC_PATH_AMOUNTS; i++) {
      changes[i] = amounts[i] - owner->booked[i];
      owner->booked[i] = amounts[i];
   }
}

static void book(AllocOwner* owner, const UInt* events, ULong* spent)
{
   const AllocPlace* place = &owner->place;
   ULong changes[ALLOC_PATH_AMOUNTS];
   ULong cost[COST_MAX_EVENTS] = {0};
   find_changes(owner, changes);
   for (UInt i = 0; i < ALLOC_PATH_AMOUNTS; i++)
      cost[events[i]] = changes[i];
   cost_add(spent, cost);
   if (place->node != NULL && !cost_is_zero(cost))
      cost_add(place->node->self, cost);
   alloc_path_add(place->path, changes);
   /* These have a clock: nodes and arcs have them by that.  */
   cost[cost_index(EventAllocCount)] = owner->blocks;
   cost[cost_index(EventAllocSize)] = owner->bytes;
   cost[cost_index(EventFreeCount)] = owner->frees;
   owner->blocks = owner->bytes = owner->frees = 0;
   context_add_cost(place->context, place->site->file_address, callsite_line(place->site),
                    cost);
}

void alloc_owners_book(ULong* spent)
{
   const UInt events[ALLOC_PATH_AMOUNTS] = {
      [AtPeak] = cost_index(EventPeakSize), [AtEnd] = cost_index(EventLeakSize)};
   for (UInt number = 1; number <= n_owners; number++)
      book(owner_at(number), events, spent);
   alloc_paths_book(events);
}

void alloc_owners_zero(UInt thread)
{
   for (UInt number = 1; number <= n_owners; number++) {
      AllocOwner* owner = owner_at(number);
      if (thread != 0 && owner->place.context->thread != thread)
         continue;
      for (UInt i = 0; i < ALLOC_PATH_AMOUNTS; i++)
         owner->booked[i] = 0;
      owner->blocks = owner->bytes = owner->frees = 0;
   }
   held_at_peak = held_now;
   peaks++;
}

void alloc_owners_keep_nodes(void (*keep)(struct TreeNode* node))
{
   for (UInt number = 1; number <= n_owners; number++) {
      const AllocOwner* owner = owner_at(number);
      const Bool is_used = owner->held != 0 || at_peak(owner) != 0 ||
                           owner->booked[AtPeak] != 0 || owner->booked[AtEnd] != 0;
      if (owner->place.node != NULL && is_used)
         keep(owner->place.node);
   }
}
