/* SPDX-License-Identifier: GPL-2.0-or-later

   Finds the units; see units.h.  Of each, the header and the first entry are read.  */

#include "dwarf/units.h"

#include "dwarf/abbreviations.h"
#include "dwarf/die.h"
#include "dwarf/ranges.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Announces 64-bit offsets, of which the length follows.  */
#define LONG_UNIT 0xffffffff

/*--------------------------------------------------------------------*/
/* The first entry                                                     */

typedef struct {
   RangeValues code;
   DieValue folder, split_name;
} RootValues;

static void note_attribute(DwarfUnit* unit, RootValues* values, UInt attribute,
                           DieValue value)
{
   ranges_note(&values->code, attribute, value);
   switch (attribute) {
   case AtCompDir: values->folder = value; break;
   case AtStmtList: unit->has_lines = die_number(value, &unit->lines); break;
   case AtStrOffsetsBase: die_number(value, &unit->str_offsets); break;
   case AtGnuAddrBase:
   case AtAddrBase: die_number(value, &unit->addresses); break;
   case AtRnglistsBase: die_number(value, &unit->range_lists); break;
   case AtGnuRangesBase: die_number(value, &unit->old_ranges); break;
   case AtGnuDwoId: die_number(value, &unit->id); break;
   case AtGnuDwoName:
   case AtDwoName: values->split_name = value; break;
   default: break;
   }
}

static void add_code(void* to, Addr start, Addr end)
{
   DwarfFile* file = to;
   if (file->n_ranges == file->ranges_room) {
      file->ranges_room = file->ranges_room == 0 ? 16 : 2 * file->ranges_room;
      file->ranges = VG_(realloc)("dwarf.ranges", file->ranges,
                                  file->ranges_room * sizeof *file->ranges);
   }
   file->ranges[file->n_ranges++] = (UnitRange){start, end, file->n_units - 1};
}

/* What a split unit does not say: its lists are the only ones in their sections, behind a
   header from version 5 on, and what they are relative to is in the skeleton.  */
static void take_from_skeleton(DwarfUnit* unit, const DwarfUnit* skeleton)
{
   const ULong length = unit->offset_size == 8 ? 12 : 4;
   if (unit->version >= 5) {
      unit->str_offsets = length + 4; /* version, padding */
      unit->range_lists = length + 8; /* version, two sizes, number of lists */
   }
   unit->base = skeleton->base;
   unit->folder = skeleton->folder;
}

/* Reads the first entry of the file's last unit.  */
static void read_root(DwarfFile* file, DwarfUnit* unit)
{
   Die die;
   if (unit->abbreviations == NULL || !die_read(unit, unit->root, &die))
      return;
   RootValues values;
   VG_(memset)(&values, 0, sizeof values);
   DieAttributes attributes = die_attributes(&die);
   while (die_next_attribute(&attributes))
      note_attribute(unit, &values, attributes.attribute, attributes.value);
   if (file->skeleton != NULL) {
      take_from_skeleton(unit, file->skeleton);
      return;
   }
   unit->folder = die_text(unit, values.folder);
   unit->split_name = die_text(unit, values.split_name);
   (void)die_address(unit, values.code.low, &unit->base);
   if (die.abbreviation.tag == TagCompileUnit || die.abbreviation.tag == TagSkeletonUnit)
      ranges_of(unit, &values.code, add_code, file);
}

/*--------------------------------------------------------------------*/
/* Headers                                                             */

static Bool is_supported(const DwarfUnit* unit)
{
   return unit->version >= 2 && unit->version <= 5 &&
          (unit->address_size == 4 || unit->address_size == 8);
}

/* Reads what follows the length of a unit.  False if it cannot be understood.  */
static Bool read_header(DwarfUnit* unit, Cursor* at)
{
   ULong abbreviations;
   unit->version = (UInt)cursor_number(at, 2);
   if (unit->version >= 5) {
      UInt kind = (UInt)cursor_number(at, 1);
      unit->address_size = (UInt)cursor_number(at, 1);
      abbreviations = cursor_number(at, unit->offset_size);
      if (kind == UnitSkeleton || kind == UnitSplitCompile)
         unit->id = cursor_number(at, 8);
      else if (kind == UnitType || kind == UnitSplitType)
         cursor_skip(at, 8 + unit->offset_size); /* signature, place of the type */
   } else {
      abbreviations = cursor_number(at, unit->offset_size);
      unit->address_size = (UInt)cursor_number(at, 1);
   }
   unit->root = at->offset;
   if (at->failed || !is_supported(unit))
      return False;
   unit->abbreviations = abbreviations_at(unit->file, abbreviations);
   return True;
}

static DwarfUnit* add_unit(DwarfFile* file, UInt* room)
{
   if (file->n_units == *room) {
      *room = *room == 0 ? 16 : 2 * *room;
      file->units = VG_(realloc)("dwarf.units", file->units, *room * sizeof *file->units);
   }
   DwarfUnit* unit = &file->units[file->n_units++];
   VG_(memset)(unit, 0, sizeof *unit);
   unit->file = file;
   return unit;
}

static Bool is_other_part(const DwarfUnit* unit, const DwarfUnit* skeleton)
{
   return unit->root < unit->end && unit->version == skeleton->version &&
          unit->id == skeleton->id;
}

static void read_units(DwarfFile* file)
{
   const DwarfSection* info = &file->sections[SectionInfo];
   Cursor at = {info->bytes, 0, info->size, False};
   UInt room = 0;
   while (at.offset < at.end) {
      ULong start = at.offset;
      ULong length = cursor_number(&at, 4);
      UInt offset_size = length == LONG_UNIT ? 8 : 4;
      if (length == LONG_UNIT)
         length = cursor_number(&at, 8);
      if (at.failed || length > at.end - at.offset)
         break;
      DwarfUnit* unit = add_unit(file, &room);
      unit->start = start;
      unit->end = at.offset + length;
      unit->offset_size = offset_size;
      Cursor header = {info->bytes, at.offset, unit->end, False};
      if (read_header(unit, &header))
         read_root(file, unit);
      else
         unit->root = unit->end; /* it has no entries */
      at.offset = unit->end;
      if (file->skeleton != NULL) {
         if (is_other_part(unit, file->skeleton))
            break;
         file->n_units--;
      }
   }
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

static Int by_start(const void* a, const void* b)
{
   const UnitRange *first = a, *second = b;
   return first->start < second->start ? -1 : first->start > second->start;
}

static DwarfFile* new_file(const DwarfSection sections[DWARF_SECTIONS],
                           DwarfFile* alternate, DwarfUnit* skeleton)
{
   DwarfFile* file = VG_(calloc)("dwarf.file", 1, sizeof *file);
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      file->sections[i] = sections[i];
   file->alternate = alternate;
   file->skeleton = skeleton;
   file->abbreviations_left = sections[SectionAbbrev].size;
   file->ranges_left =
      4 * (sections[SectionRanges].size + sections[SectionRnglists].size);
   read_units(file);
   if (file->n_ranges > 0)
      VG_(ssort)(file->ranges, file->n_ranges, sizeof *file->ranges, by_start);
   return file;
}

DwarfFile* units_new_file(const DwarfSection sections[DWARF_SECTIONS],
                          DwarfFile* alternate)
{
   return new_file(sections, alternate, NULL);
}

DwarfUnit* units_new_split_unit(const DwarfSection sections[DWARF_SECTIONS],
                                DwarfUnit* skeleton)
{
   DwarfFile* file = new_file(sections, NULL, skeleton);
   if (file->n_units > 0)
      return &file->units[0];
   abbreviations_free(file);
   VG_(free)(file->units);
   VG_(free)(file);
   return NULL;
}

DwarfUnit* units_at_address(DwarfFile* file, Addr address)
{
   UInt low = 0, high = file->n_ranges;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (file->ranges[middle].start <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 && address < file->ranges[low - 1].end
             ? &file->units[file->ranges[low - 1].unit]
             : NULL;
}

DwarfUnit* units_at_offset(DwarfFile* file, ULong offset)
{
   UInt low = 0, high = file->n_units;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (file->units[middle].end <= offset)
         low = middle + 1;
      else
         high = middle;
   }
   return low < file->n_units && offset >= file->units[low].root ? &file->units[low]
                                                                 : NULL;
}
