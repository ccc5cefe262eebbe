/* SPDX-License-Identifier: GPL-2.0-or-later

   Mappings as a sorted array; see address_space.h.  */

#include "profile/address_space.h"

#include "base/first_above.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

AddressSpace* address_space_create(void)
{
   AddressSpace* space = memory_allocate(sizeof *space);
   space->references = 1;
   return space;
}

static void release(AddressSpace* space)
{
   if (--space->references != 0)
      return;
   for (unsigned i = 0; i < space->count; i++)
      free(space->mappings[i].path);
   free(space->mappings);
   free(space);
}

/* Makes *place an address space that nobody else has, to be changed.  */
static AddressSpace* own_space(AddressSpace** place)
{
   AddressSpace* shared = *place;
   if (shared->references == 1)
      return shared;
   AddressSpace* space = address_space_create();
   space->count = space->room = shared->count;
   space->mappings = memory_reallocate(NULL, shared->count, sizeof(Mapping));
   for (unsigned i = 0; i < shared->count; i++) {
      space->mappings[i] = shared->mappings[i];
      space->mappings[i].path = memory_copy_text(shared->mappings[i].path);
   }
   release(shared);
   *place = space;
   return space;
}

AddressSpace* address_space_share(AddressSpace* space)
{
   space->references++;
   return space;
}

/* The first mapping that ends behind `address`.  */
static unsigned position(const AddressSpace* space, uint64_t address)
{
   return (unsigned)first_above(space->mappings, space->count, sizeof(Mapping),
                                offsetof(Mapping, end), address);
}

static void insert(AddressSpace* space, unsigned at, Mapping mapping)
{
   if (space->count == space->room) {
      space->room = space->room ? 2 * space->room : 16;
      space->mappings = memory_reallocate(space->mappings, space->room, sizeof(Mapping));
   }
   memmove(space->mappings + at + 1, space->mappings + at,
           (space->count - at) * sizeof(Mapping));
   space->mappings[at] = mapping;
   space->count++;
}

/* Removes a range from what is mapped; mappings that reach over its ends are cut.  */
static void unmap(AddressSpace* space, uint64_t start, uint64_t end)
{
   unsigned at = position(space, start);
   while (at < space->count && space->mappings[at].start < end) {
      Mapping* mapping = &space->mappings[at];
      if (mapping->start < start && mapping->end > end) {
         Mapping rest = *mapping;
         rest.path = memory_copy_text(mapping->path);
         rest.offset += end - rest.start;
         rest.start = end;
         mapping->end = start;
         insert(space, at + 1, rest);
         return;
      }
      if (mapping->start < start) {
         mapping->end = start;
         at++;
      } else if (mapping->end > end) {
         mapping->offset += end - mapping->start;
         mapping->start = end;
         return;
      } else {
         free(mapping->path);
         space->count--;
         memmove(mapping, mapping + 1, (space->count - at) * sizeof(Mapping));
      }
   }
}

void address_space_map(AddressSpace** place, Mapping mapping)
{
   AddressSpace* space = own_space(place);
   unmap(space, mapping.start, mapping.end);
   insert(space, position(space, mapping.start), mapping);
}

void address_space_map_gaps(AddressSpace** place, const Mapping* mapping)
{
   uint64_t at = mapping->start;
   while (at < mapping->end) {
      const AddressSpace* space = *place;
      unsigned next = position(space, at);
      uint64_t gap_end = mapping->end;
      if (next < space->count && space->mappings[next].start < gap_end)
         gap_end = space->mappings[next].start;
      if (gap_end > at) {
         Mapping piece = *mapping;
         piece.path = memory_copy_text(mapping->path);
         piece.start = at;
         piece.end = gap_end;
         piece.offset += at - mapping->start;
         address_space_map(place, piece);
         at = gap_end;
      } else {
         at = space->mappings[next].end;
      }
   }
}

Mapping* address_space_find(const AddressSpace* space, uint64_t address)
{
   unsigned at = position(space, address);
   if (at == space->count || space->mappings[at].start > address)
      return NULL;
   return &space->mappings[at];
}
