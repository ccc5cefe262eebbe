/* SPDX-License-Identifier: GPL-2.0-or-later

   See unit_ranges.h.  The section has a table for each unit: a header, and pairs of an
   address and a size, the last of which are both 0.  */

#include "dwarf/unit_ranges.h"

#include "base/cursor.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   Addr start, end;
   ULong unit;
} UnitRange;

struct UnitRanges {
   UnitRange* list; /* by `start` */
   UInt n, room;
};

UnitRanges* unit_ranges_new(void)
{
   return VG_(calloc)("dwarf.ranges", 1, sizeof(UnitRanges));
}

void unit_ranges_add(UnitRanges* ranges, Addr start, Addr end, ULong unit)
{
   if (ranges->n == ranges->room) {
      ranges->room = ranges->room == 0 ? 16 : 2 * ranges->room;
      ranges->list =
         VG_(realloc)("dwarf.ranges", ranges->list, ranges->room * sizeof *ranges->list);
   }
   ranges->list[ranges->n++] = (UnitRange){start, end, unit};
}

static Int by_start(const void* a, const void* b)
{
   const UnitRange *first = a, *second = b;
   return first->start < second->start ? -1 : first->start > second->start;
}

/* Most are in order: units are where the linker has put their code.  */
static Bool is_sorted(const UnitRanges* ranges)
{
   for (UInt i = 1; i < ranges->n; i++)
      if (ranges->list[i].start < ranges->list[i - 1].start)
         return False;
   return True;
}

void unit_ranges_sort(UnitRanges* ranges)
{
   if (!is_sorted(ranges))
      VG_(ssort)(ranges->list, ranges->n, sizeof *ranges->list, by_start);
}

ULong unit_ranges_find(const UnitRanges* ranges, Addr address)
{
   UInt low = 0, high = ranges->n;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (ranges->list[middle].start <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 && address < ranges->list[low - 1].end ? ranges->list[low - 1].unit
                                                         : UNIT_RANGES_NONE;
}

/*--------------------------------------------------------------------*/
/* The section                                                         */

/* Announces 64-bit offsets, of which the length follows.  */
#define LONG_TABLE 0xffffffff

/* Pairs begin at a multiple of their size in the table.  A range at 0 is of code that the
   linker has thrown away.  */
static void read_pairs(UnitRanges* ranges, Cursor* at, ULong table, ULong unit)
{
   const UInt pair = 2 * sizeof(Addr);
   cursor_skip(at, (pair - (at->offset - table) % pair) % pair);
   while (!at->failed && at->offset < at->end) {
      Addr start = (Addr)cursor_number(at, sizeof(Addr));
      Addr size = (Addr)cursor_number(at, sizeof(Addr));
      if (start == 0 && size == 0)
         return;
      if (!at->failed && start != 0 && size != 0 && size <= ~start)
         unit_ranges_add(ranges, start, start + size, unit);
   }
}

static void read_table(UnitRanges* ranges, Cursor* at, ULong table, UInt offset_size)
{
   enum { Version = 2 };
   ULong version = cursor_number(at, 2);
   ULong unit = cursor_number(at, offset_size);
   ULong address_size = cursor_number(at, 1), segment_size = cursor_number(at, 1);
   if (!at->failed && version == Version && address_size == sizeof(Addr) &&
       segment_size == 0)
      read_pairs(ranges, at, table, unit);
}

UnitRanges* unit_ranges_read(DwarfFile* file)
{
   const DwarfSection* section = dwarf_file_section(file, SectionAranges);
   UnitRanges* ranges = unit_ranges_new();
   Cursor at = {section->bytes, 0, section->size, False};
   while (at.offset < at.end) {
      ULong table = at.offset, length = cursor_number(&at, 4);
      UInt offset_size = length == LONG_TABLE ? 8 : 4;
      if (length == LONG_TABLE)
         length = cursor_number(&at, 8);
      if (at.failed || length > at.end - at.offset)
         break;
      Cursor inner = {section->bytes, at.offset, at.offset + length, False};
      read_table(ranges, &inner, table, offset_size);
      at.offset = inner.end;
   }
   unit_ranges_sort(ranges);
   return ranges;
}
