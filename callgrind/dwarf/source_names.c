/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the paths; see source_names.h.

   Those of a split unit are its skeleton's.  Only the header of a unit's line table is
   read (line_header.h).  */

#include "dwarf/source_names.h"

#include "dwarf/line_header.h"

#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct SourceNames {
   XArray* paths; /* of HChar*, by the files' numbers; NULL where there is none */
} SourceNames;

static HChar* path_of(const DwarfUnit* unit, const LineNames* names, const LineFile* file)
{
   if (file->name == NULL || file->folder >= (ULong)VG_(sizeXA)(names->folders))
      return NULL;
   const HChar* folder = *(const HChar**)VG_(indexXA)(names->folders, (Word)file->folder);
   HChar* inner = line_header_join(folder, file->name);
   HChar* path = line_header_join(unit->folder, inner);
   VG_(free)(inner);
   return path;
}

static SourceNames* names_of(DwarfUnit* unit)
{
   if (unit->source_names != NULL)
      return unit->source_names;
   unit->source_names = VG_(malloc)("dwarf.source_names", sizeof(SourceNames));
   XArray* paths = unit->source_names->paths =
      VG_(newXA)(VG_(malloc), "dwarf.paths", VG_(free), sizeof(HChar*));
   LineHeader header;
   if (!unit->has_lines || !line_header_read(unit->file, unit->lines, &header))
      return unit->source_names;
   /* What texts of its own the table refers to is found by the unit's base.  */
   header.sizes.str_offsets = unit->str_offsets;
   LineNames names = line_header_names(&header);
   for (Word i = 0; i < VG_(sizeXA)(names.files); i++) {
      HChar* path = path_of(unit, &names, VG_(indexXA)(names.files, i));
      VG_(addToXA)(paths, &path);
   }
   line_header_free_names(&names);
   return unit->source_names;
}

const HChar* source_names_path(DwarfUnit* unit, ULong number)
{
   if (unit->file->skeleton != NULL)
      unit = unit->file->skeleton;
   XArray* paths = names_of(unit)->paths;
   return number < (ULong)VG_(sizeXA)(paths)
             ? *(const HChar**)VG_(indexXA)(paths, (Word)number)
             : NULL;
}
