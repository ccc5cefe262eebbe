/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the paths; see source_names.h.

   Those of a split unit are its skeleton's.  Only the header of a unit's line table is
   read, where folders are listed, and then the files, each with the number of its folder.
   Up to version 4, files are numbered from 1 on, and folder 0 is the one that the unit
   was compiled in.  */

#include "dwarf/source_names.h"

#include "dwarf/die.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct SourceNames {
   XArray* paths; /* of HChar*, by the files' numbers; NULL where there is none */
} SourceNames;

/* While a table is read.  */
typedef struct {
   const DwarfUnit* unit;
   DwarfUnit as_lines; /* the unit, with the sizes that the table has */
   Cursor at;
   XArray* folders; /* of const HChar* */
   XArray* paths;
} LineHeader;

/* `name` in `folder`; in none if that is NULL or "".  The caller frees it.  */
static HChar* join(const HChar* folder, const HChar* name)
{
   if (folder == NULL || folder[0] == '\0' || name[0] == '/')
      return VG_(strdup)("dwarf.path", name);
   SizeT size = VG_(strlen)(folder) + VG_(strlen)(name) + 2;
   HChar* path = VG_(malloc)("dwarf.path", size);
   VG_(snprintf)(path, (Int)size, "%s/%s", folder, name);
   return path;
}

static void add_path(LineHeader* header, const HChar* name, ULong folder)
{
   HChar* path = NULL;
   if (name != NULL && folder < (ULong)VG_(sizeXA)(header->folders)) {
      const HChar* of = *(const HChar**)VG_(indexXA)(header->folders, (Word)folder);
      HChar* inner = join(of, name);
      path = join(header->unit->folder, inner);
      VG_(free)(inner);
   }
   VG_(addToXA)(header->paths, &path);
}

/*--------------------------------------------------------------------*/
/* Up to version 4                                                     */

static void read_old_lists(LineHeader* header)
{
   const HChar* name = ""; /* the unit's own folder */
   do {
      VG_(addToXA)(header->folders, &name);
      name = cursor_text(&header->at);
   } while (name[0] != '\0');
   add_path(header, NULL, 0); /* number 0 */
   for (;;) {
      name = cursor_text(&header->at);
      ULong folder = cursor_unsigned(&header->at);
      if (name[0] == '\0' || header->at.failed)
         return;
      cursor_unsigned(&header->at); /* its time */
      cursor_unsigned(&header->at); /* its size */
      add_path(header, name, folder);
   }
}

/*--------------------------------------------------------------------*/
/* From version 5 on                                                   */

#define MAX_FIELDS 16

typedef struct {
   ULong content, form;
} LineField;

static UInt read_fields(LineHeader* header, LineField fields[MAX_FIELDS])
{
   UInt n = (UInt)cursor_number(&header->at, 1);
   if (n > MAX_FIELDS) {
      header->at.failed = True;
      return 0;
   }
   for (UInt i = 0; i < n; i++) {
      fields[i].content = cursor_unsigned(&header->at);
      fields[i].form = cursor_unsigned(&header->at);
   }
   return n;
}

static void add_entry(LineHeader* header, Bool are_folders, const HChar* name,
                      ULong folder)
{
   if (!are_folders)
      add_path(header, name, folder);
   else {
      if (name == NULL)
         name = "";
      VG_(addToXA)(header->folders, &name);
   }
}

static void read_list(LineHeader* header, Bool are_folders)
{
   LineField fields[MAX_FIELDS];
   UInt n_fields = read_fields(header, fields);
   ULong n = cursor_unsigned(&header->at);
   for (; n > 0 && n_fields > 0 && !header->at.failed; n--) {
      const HChar* name = NULL;
      ULong folder = 0, begin = header->at.offset;
      for (UInt i = 0; i < n_fields; i++) {
         DieValue value =
            die_read_value(&header->as_lines, &header->at, (UInt)fields[i].form, 0);
         if (fields[i].content == LinePath)
            name = die_text(&header->as_lines, value);
         else if (fields[i].content == LineDirectory)
            (void)die_number(value, &folder);
      }
      if (header->at.failed || header->at.offset == begin)
         return; /* entries of nothing could be any number */
      add_entry(header, are_folders, name, folder);
   }
}

/*--------------------------------------------------------------------*/

static void read_header(LineHeader* header)
{
   Cursor* at = &header->at;
   DwarfUnit* as = &header->as_lines;
   ULong length = cursor_number(at, 4);
   as->offset_size = length == 0xffffffff ? 8 : 4;
   if (as->offset_size == 8)
      length = cursor_number(at, 8);
   if (at->failed || length > at->end - at->offset)
      return;
   at->end = at->offset + length;
   as->version = (UInt)cursor_number(at, 2);
   if (as->version < 2 || as->version > 5)
      return;
   if (as->version == 5)
      cursor_skip(at, 2); /* sizes of addresses and of segments */
   cursor_skip(at, as->offset_size);
   cursor_skip(at, as->version >= 4 ? 5 : 4); /* how lines are encoded */
   ULong n_codes = cursor_number(at, 1);
   cursor_skip(at, n_codes > 0 ? n_codes - 1 : 0);
   if (at->failed)
      return;
   if (as->version == 5) {
      read_list(header, True);
      read_list(header, False);
   } else
      read_old_lists(header);
}

static SourceNames* names_of(DwarfUnit* unit)
{
   if (unit->source_names != NULL)
      return unit->source_names;
   const DwarfSection* section = &unit->file->sections[SectionLine];
   LineHeader header = {.unit = unit, .as_lines = *unit};
   header.folders = VG_(newXA)(VG_(malloc), "dwarf.folders", VG_(free), sizeof(HChar*));
   header.paths = VG_(newXA)(VG_(malloc), "dwarf.paths", VG_(free), sizeof(HChar*));
   if (unit->has_lines && unit->lines < section->size) {
      header.at = (Cursor){section->bytes, unit->lines, section->size, False};
      read_header(&header);
   }
   VG_(deleteXA)(header.folders);
   unit->source_names = VG_(malloc)("dwarf.source_names", sizeof(SourceNames));
   unit->source_names->paths = header.paths;
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
