/* SPDX-License-Identifier: GPL-2.0-or-later

   See ranges.h.  Lists of ranges are in .debug_ranges, from version 5 on in
   .debug_rnglists.  */

#include "dwarf/ranges.h"

typedef struct {
   DwarfUnit* unit;
   Cursor at;
   Addr base;
   void (*add)(void* to, Addr start, Addr end);
   void* to;
} RangeList;

void ranges_note(RangeValues* values, UInt attribute, DieValue value)
{
   switch (attribute) {
   case AtLowPc: values->low = value; break;
   case AtHighPc: values->high = value; break;
   case AtRanges: values->list = value; break;
   default: break;
   }
}

static void add_range(const RangeList* list, Addr start, Addr end)
{
   if (start != 0 && start < end)
      list->add(list->to, start, end);
}

/* Pairs of offsets from the base; the largest address announces another base.  */
static void read_pairs(RangeList* list, DwarfFile* file)
{
   const UInt size = list->unit->address_size;
   const ULong largest = size == 8 ? ~0ULL : (1ULL << 8 * size) - 1;
   for (; file->ranges_left > 0; file->ranges_left--) {
      ULong start = cursor_number(&list->at, size);
      ULong end = cursor_number(&list->at, size);
      if (list->at.failed || (start == 0 && end == 0))
         return;
      if (start == largest)
         list->base = (Addr)end;
      else
         add_range(list, list->base + (Addr)start, list->base + (Addr)end);
   }
}

static Addr indexed_address(RangeList* list)
{
   Addr address = 0;
   if (!die_indexed_address(list->unit, cursor_unsigned(&list->at), &address))
      list->at.failed = True;
   return address;
}

/* Reads an entry; False if it ends the list.  */
static Bool read_entry(RangeList* list)
{
   Cursor* at = &list->at;
   const UInt size = list->unit->address_size;
   Addr start = 0, end = 0;
   switch (cursor_number(at, 1)) {
   case RangesBaseIndex: list->base = indexed_address(list); break;
   case RangesBaseAddress: list->base = (Addr)cursor_number(at, size); break;
   case RangesStartEndIndex:
      start = indexed_address(list);
      end = indexed_address(list);
      break;
   case RangesStartIndexLength:
      start = indexed_address(list);
      end = start + (Addr)cursor_unsigned(at);
      break;
   case RangesOffsetPair:
      start = list->base + (Addr)cursor_unsigned(at);
      end = list->base + (Addr)cursor_unsigned(at);
      break;
   case RangesStartEnd:
      start = (Addr)cursor_number(at, size);
      end = (Addr)cursor_number(at, size);
      break;
   case RangesStartLength:
      start = (Addr)cursor_number(at, size);
      end = start + (Addr)cursor_unsigned(at);
      break;
   default: return False; /* RangesEnd, or nothing that is known */
   }
   if (at->failed)
      return False;
   add_range(list, start, end);
   return True;
}

/* Where the unit's list number `index` begins; relative to the base, which is behind the
   header.  */
static ULong offset_of_list(const DwarfUnit* unit, ULong index)
{
   const DwarfSection* section = dwarf_file_section(unit->file, SectionRnglists);
   if (unit->range_lists > section->size ||
       index >= (section->size - unit->range_lists) / unit->offset_size)
      return ~0ULL;
   Cursor at = {section->bytes, unit->range_lists + index * unit->offset_size,
                section->size, False};
   return unit->range_lists + cursor_number(&at, unit->offset_size);
}

/* Up to version 4; those of a split unit are beside its skeleton.  */
static void read_old_list(RangeList* list, DieValue value)
{
   DwarfFile* file = list->unit->file;
   ULong offset, before = 0;
   if (file->skeleton != NULL) {
      before = file->skeleton->old_ranges;
      file = file->skeleton->file;
   }
   const DwarfSection* section = dwarf_file_section(file, SectionRanges);
   if (!die_number(value, &offset) || before > section->size ||
       offset >= section->size - before)
      return;
   list->at = (Cursor){section->bytes, before + offset, section->size, False};
   read_pairs(list, file);
}

static void read_list(RangeList* list, DieValue value)
{
   DwarfUnit* unit = list->unit;
   const DwarfSection* section = dwarf_file_section(unit->file, SectionRnglists);
   ULong offset;
   if (value.form == FormRnglistx)
      offset = offset_of_list(unit, value.number);
   else if (!die_number(value, &offset))
      return;
   if (offset >= section->size)
      return;
   list->at = (Cursor){section->bytes, offset, section->size, False};
   while (unit->file->ranges_left > 0 && read_entry(list))
      unit->file->ranges_left--;
}

void ranges_of(DwarfUnit* unit, const RangeValues* values,
               void (*add)(void* to, Addr start, Addr end), void* to)
{
   RangeList list = {.unit = unit, .base = unit->base, .add = add, .to = to};
   Addr start, end;
   ULong size;
   if (values->list.form != 0 && unit->version < 5)
      read_old_list(&list, values->list);
   else if (values->list.form != 0)
      read_list(&list, values->list);
   else if (die_address(unit, values->low, &start)) {
      if (die_address(unit, values->high, &end))
         add_range(&list, start, end);
      else if (die_number(values->high, &size))
         add_range(&list, start, start + (Addr)size);
   }
}
