/* SPDX-License-Identifier: GPL-2.0-or-later

   Finds the units; see units.h.

   Where a unit ends is in its header, so the units up to the one that is wanted are found
   by their headers alone.  Its first entry is read once the unit is given out.  Which one
   is at an address a section of its own may say.  If it does not, the first entries of
   all are read.  */

#include "dwarf/units.h"

#include "dwarf/abbreviations.h"
#include "dwarf/die.h"
#include "dwarf/ranges.h"
#include "dwarf/unit_ranges.h"

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

/* Reads the first entry, and notes in `code` where code of the unit is, as far as it
   says.  */
static void read_root(DwarfUnit* unit, RangeValues* code)
{
   Die die;
   VG_(memset)(code, 0, sizeof *code);
   unit->root_is_read = True;
   if (unit->abbreviations == NULL || !die_read(unit, unit->root, &die))
      return;
   RootValues values;
   VG_(memset)(&values, 0, sizeof values);
   DieAttributes attributes = die_attributes(&die);
   while (die_next_attribute(&attributes))
      note_attribute(unit, &values, attributes.attribute, attributes.value);
   if (unit->file->skeleton != NULL) {
      take_from_skeleton(unit, unit->file->skeleton);
      return;
   }
   unit->folder = die_text(unit, values.folder);
   unit->split_name = die_text(unit, values.split_name);
   (void)die_address(unit, values.code.low, &unit->base);
   if (die.abbreviation.tag == TagCompileUnit || die.abbreviation.tag == TagSkeletonUnit)
      *code = values.code;
}

static DwarfUnit* with_root(DwarfUnit* unit)
{
   RangeValues code;
   if (!unit->root_is_read)
      read_root(unit, &code);
   return unit;
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

#define NO_MORE_UNITS (~0ULL)
#define LONGEST_HEADER 64 /* in bytes; the longest has 40 */

static DwarfUnit* add_unit(DwarfFile* file)
{
   if (file->n_units == file->units_room) {
      file->units_room = file->units_room == 0 ? 16 : 2 * file->units_room;
      file->units =
         VG_(realloc)("dwarf.units", file->units, file->units_room * sizeof *file->units);
   }
   DwarfUnit* unit = VG_(calloc)("dwarf.unit", 1, sizeof *unit);
   file->units[file->n_units++] = unit;
   unit->file = file;
   return unit;
}

/* Finds one more; NULL if there is none.  */
static DwarfUnit* next_unit(DwarfFile* file)
{
   const DwarfSection* info = &file->sections[SectionInfo];
   const ULong start = file->next_unit;
   file->next_unit = NO_MORE_UNITS;
   if (start >= info->size || !section_reach(info, start + LONGEST_HEADER))
      return NULL;
   Cursor at = {info->bytes, start, info->size, False};
   ULong length = cursor_number(&at, 4);
   UInt offset_size = length == LONG_UNIT ? 8 : 4;
   if (length == LONG_UNIT)
      length = cursor_number(&at, 8);
   if (at.failed || length > at.end - at.offset ||
       !section_reach(info, at.offset + length))
      return NULL;
   DwarfUnit* unit = add_unit(file);
   unit->start = start;
   unit->end = file->next_unit = at.offset + length;
   unit->offset_size = offset_size;
   at.end = unit->end;
   if (!read_header(unit, &at))
      unit->root = unit->end; /* it has no entries */
   return unit;
}

static Bool is_other_part(const DwarfUnit* unit, const DwarfUnit* skeleton)
{
   return unit->root < unit->end && unit->version == skeleton->version &&
          unit->id == skeleton->id;
}

/* The last unit that begins at `offset` or before, if that is inside it.  */
static DwarfUnit* unit_around(DwarfFile* file, ULong offset)
{
   while ((file->n_units == 0 || file->units[file->n_units - 1]->end <= offset) &&
          next_unit(file) != NULL)
      ;
   UInt low = 0, high = file->n_units;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (file->units[middle]->end <= offset)
         low = middle + 1;
      else
         high = middle;
   }
   return low < file->n_units && file->units[low]->start <= offset ? file->units[low]
                                                                   : NULL;
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

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
   return file;
}

DwarfFile* units_new_file(const DwarfSection sections[DWARF_SECTIONS],
                          DwarfFile* alternate)
{
   return new_file(sections, alternate, NULL);
}

/* Version 4 has the id in the first entry.  */
DwarfUnit* units_new_split_unit(const DwarfSection sections[DWARF_SECTIONS],
                                DwarfUnit* skeleton)
{
   DwarfFile* file = new_file(sections, NULL, skeleton);
   DwarfUnit* unit;
   while ((unit = next_unit(file)) != NULL) {
      if (is_other_part(with_root(unit), skeleton)) {
         file->next_unit = NO_MORE_UNITS;
         return unit;
      }
      VG_(free)(unit);
      file->n_units--;
   }
   abbreviations_free(file);
   VG_(free)(file->units);
   VG_(free)(file);
   return NULL;
}

/*--------------------------------------------------------------------*/
/* Which unit                                                          */

/* A unit by its number, and where its code goes.  */
typedef struct {
   UnitRanges* ranges;
   ULong unit;
} UnitCode;

static void add_code(void* to, Addr start, Addr end)
{
   const UnitCode* of = to;
   unit_ranges_add(of->ranges, start, end, of->unit);
}

static UnitRanges* ranges_by_entries(DwarfFile* file)
{
   UnitRanges* ranges = unit_ranges_new();
   while (next_unit(file) != NULL)
      ;
   for (UInt i = 0; i < file->n_units; i++) {
      UnitCode of = {ranges, i};
      RangeValues code;
      read_root(file->units[i], &code);
      ranges_of(file->units[i], &code, add_code, &of);
   }
   unit_ranges_sort(ranges);
   return ranges;
}

DwarfUnit* units_at_address(DwarfFile* file, Addr address)
{
   if (file->said == NULL)
      file->said = unit_ranges_read(file);
   ULong start = unit_ranges_find(file->said, address);
   DwarfUnit* unit = start != UNIT_RANGES_NONE ? unit_around(file, start) : NULL;
   if (unit != NULL && unit->start == start && unit->root < unit->end)
      return with_root(unit);
   if (file->by_entries == NULL)
      file->by_entries = ranges_by_entries(file);
   ULong number = unit_ranges_find(file->by_entries, address);
   return number != UNIT_RANGES_NONE ? file->units[number] : NULL;
}

Bool units_is_split(DwarfFile* file, Addr address)
{
   const DwarfUnit* unit = units_at_address(file, address);
   return unit != NULL && unit->split_name != NULL;
}

DwarfUnit* units_at_offset(DwarfFile* file, ULong offset)
{
   DwarfUnit* unit = unit_around(file, offset);
   return unit != NULL && offset >= unit->root ? with_root(unit) : NULL;
}
