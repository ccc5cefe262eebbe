/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the other parts of units; see split_units.h.  */

#include "dwarf/split_units.h"

#include "dwarf/package.h"
#include "dwarf/units.h"

#include "pub_tool_mallocfree.h"

/* Takes from what may still be read.  False if that is too little: hostile units could
   all name the same large file.  */
static Bool may_read(DwarfFile* file, const SplitSections* from)
{
   ULong size = from->sections[SectionInfo].size;
   for (UInt i = 0; i < DWARF_SECTIONS && from->index.size == 0; i++)
      size += from->sections[i].size;
   if (size > file->split_left)
      return False;
   file->split_left -= size;
   return True;
}

/* The unit's other part, if it is there.  Sections of a package stay for other units.  */
static DwarfUnit* read_from(SplitSections* from, DwarfUnit* skeleton)
{
   const Bool is_package = from->index.size > 0;
   DwarfUnit* found = NULL;
   if ((!is_package || package_narrow(from, skeleton->id)) &&
       may_read(skeleton->file, from))
      found = units_new_split_unit(from->sections, skeleton);
   for (UInt i = 0; i < DWARF_SECTIONS && found == NULL && !is_package; i++)
      section_free(&from->sections[i]);
   return found;
}

DwarfUnit* split_units_full(DwarfUnit* unit)
{
   DwarfFile* file = unit->file;
   if (unit->full_is_sought || unit->split_name == NULL || file->read_split == NULL)
      return unit->full;
   unit->full_is_sought = True;
   SplitSections from;
   for (UInt place = 0; unit->full == NULL && file->read_split(file, unit, place, &from);
        place++)
      unit->full = read_from(&from, unit);
   return unit->full;
}
