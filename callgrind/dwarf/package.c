/* SPDX-License-Identifier: GPL-2.0-or-later

   See package.h.  The index (.debug_cu_index) is a table: a row for each unit, a column
   for each section.  Behind its header there are: a hash table of ids, and beside it one
   of the numbers of their rows, from 1 on; what each column is of; and then where in its
   section a row's part begins, and how long it is, row by row.  GNU's version, 2, and
   version 5 have the same form.  */

#include "dwarf/package.h"

#include "base/cursor.h"
#include "dwarf/constants.h"

#define HEADER 16
#define MOST_COLUMNS 16

typedef struct {
   Cursor at;
   ULong n_columns, n_units, n_slots;
} PackageIndex;

static ULong number_at(PackageIndex* index, ULong offset, UInt size)
{
   index->at.offset = offset <= index->at.end ? offset : index->at.end;
   return cursor_number(&index->at, size);
}

static Bool read_header(PackageIndex* index)
{
   ULong version = cursor_number(&index->at, 4); /* of version 5, two bytes are padding */
   index->n_columns = cursor_number(&index->at, 4);
   index->n_units = cursor_number(&index->at, 4);
   index->n_slots = cursor_number(&index->at, 4);
   if (index->at.failed || (version != 2 && (version & 0xffff) != 5) ||
       index->n_columns > MOST_COLUMNS)
      return False;
   /* Each of these counts is below 2^32, so that no product overflows.  */
   ULong cells = (2 * index->n_units + 1) * index->n_columns;
   return HEADER + 12 * index->n_slots + 4 * cells <= index->at.end;
}

/* The number of the unit's row, from 0 on; n_units if it has none.  */
static ULong row_of(PackageIndex* index, ULong id)
{
   const ULong mask = index->n_slots - 1;
   const ULong step = ((id >> 32) & mask) | 1;
   ULong slot = id & mask;
   for (ULong n = 0; n < index->n_slots; n++, slot = (slot + step) & mask) {
      if (slot >= index->n_slots) /* their number is no power of two */
         break;
      ULong row = number_at(index, HEADER + 8 * index->n_slots + 4 * slot, 4);
      if (row == 0)
         break;
      if (number_at(index, HEADER + 8 * slot, 8) == id)
         return row <= index->n_units ? row - 1 : index->n_units;
   }
   return index->n_units;
}

/* The section that a column is of; DWARF_SECTIONS if it is none that is read.  */
static DwarfSectionId section_of_column(ULong column)
{
   switch (column) {
   case PackageInfo: return SectionInfo;
   case PackageAbbrev: return SectionAbbrev;
   case PackageStrOffsets: return SectionStrOffsets;
   case PackageRnglists: return SectionRnglists;
   default: return DWARF_SECTIONS;
   }
}

Bool package_narrow(SplitSections* package, ULong id)
{
   PackageIndex index = {.at = {package->index.bytes, 0, package->index.size, False}};
   if (!read_header(&index))
      return False;
   ULong row = row_of(&index, id);
   if (row == index.n_units)
      return False;
   const ULong columns = HEADER + 12 * index.n_slots, width = 4 * index.n_columns;
   const ULong offsets = columns + width + row * width;
   const ULong sizes = offsets + index.n_units * width;
   for (ULong i = 0; i < index.n_columns; i++) {
      DwarfSectionId id_of = section_of_column(number_at(&index, columns + 4 * i, 4));
      if (id_of == DWARF_SECTIONS)
         continue;
      DwarfSection* section = &package->sections[id_of];
      ULong offset = number_at(&index, offsets + 4 * i, 4);
      ULong size = number_at(&index, sizes + 4 * i, 4);
      if (offset > section->size || size > section->size - offset)
         return False;
      *section = (DwarfSection){section->bytes + offset, size, NULL};
   }
   return !index.at.failed;
}
