/* SPDX-License-Identifier: GPL-2.0-or-later

   See mappings.h.  An object has one mapping with code, rarely more.  */

#include "guest/mappings.h"

#include "pub_tool_mallocfree.h"

/* True if both map the same bytes of the file to the same addresses, without a gap.  */
static Bool are_joined(const Mapping* mapping, Addr start, SizeT size, ULong offset)
{
   return mapping->start - mapping->offset == start - offset &&
          start <= mapping->start + mapping->size && mapping->start <= start + size;
}

static void extend(Mapping* mapping, Addr start, SizeT size)
{
   Addr end = start + size;
   if (end < mapping->start + mapping->size)
      end = mapping->start + mapping->size;
   if (start < mapping->start) {
      mapping->offset -= mapping->start - start;
      mapping->start = start;
   }
   mapping->size = end - mapping->start;
}

void mappings_note(Mapping** first, Addr start, SizeT size, ULong offset)
{
   Mapping** end = first;
   for (; *end != NULL; end = &(*end)->next)
      if (are_joined(*end, start, size, offset)) {
         extend(*end, start, size);
         return;
      }
   *end = VG_(calloc)("mappings.mapping", 1, sizeof **end);
   (*end)->start = start;
   (*end)->size = size;
   (*end)->offset = offset;
}
