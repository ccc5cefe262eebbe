/* SPDX-License-Identifier: GPL-2.0-or-later

   See system_listing.h.  Sorted is what one call returns, by the bytes of the names; libc
   asks for 32 KB at a time, which is all of most folders.  Places to go back to
   (`telldir`) stay in the system's order, so that the end of each call is where it was.
   A program that goes back into the middle gets there what the system has behind it.  */

#include "surroundings/system_listing.h"

#include "surroundings/guest_memory.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* As on all 64-bit machines.  */
typedef struct {
   ULong inode, next;
   UShort size;
   UChar type;
   HChar name[];
} Entry;

static Int by_name(const void* left, const void* right)
{
   return VG_(strcmp)((*(Entry* const*)left)->name, (*(Entry* const*)right)->name);
}

static UWord count_entries(const UChar* entries, UWord size)
{
   UWord count = 0;
   for (UWord at = 0; at < size; at += ((const Entry*)(entries + at))->size)
      count++;
   return count;
}

void system_listing_sort(UWord address, UWord size)
{
   UChar* entries = size == 0 ? NULL : guest_room(address, size);
   if (entries == NULL)
      return;
   const UWord count = count_entries(entries, size);
   UChar* copy = VG_(malloc)("system_listing.copy", size);
   Entry** sorted = VG_(malloc)("system_listing.sorted", count * sizeof(Entry*));
   ULong* places = VG_(malloc)("system_listing.places", count * sizeof *places);
   VG_(memcpy)(copy, entries, size);
   UWord at = 0;
   for (UWord i = 0; i < count; i++, at += sorted[i - 1]->size) {
      sorted[i] = (Entry*)(copy + at);
      places[i] = sorted[i]->next;
   }
   VG_(ssort)(sorted, count, sizeof *sorted, by_name);
   at = 0;
   for (UWord i = 0; i < count; i++) {
      sorted[i]->next = places[i];
      VG_(memcpy)(entries + at, sorted[i], sorted[i]->size);
      at += sorted[i]->size;
   }
   VG_(free)(places);
   VG_(free)(sorted);
   VG_(free)(copy);
}
