/* SPDX-License-Identifier: GPL-2.0-or-later

   See line_header.h.  */

#include "dwarf/line_header.h"

#include "dwarf/die.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

HChar* line_header_join(const HChar* folder, const HChar* name)
{
   if (folder == NULL || folder[0] == '\0' || name[0] == '/')
      return VG_(strdup)("dwarf.path", name);
   SizeT size = VG_(strlen)(folder) + VG_(strlen)(name) + 2;
   HChar* path = VG_(malloc)("dwarf.path", size);
   VG_(snprintf)(path, (Int)size, "%s/%s", folder, name);
   return path;
}

/*--------------------------------------------------------------------*/
/* How lines are encoded                                               */

/* Announces 64-bit offsets, of which the length follows.  */
#define LONG_TABLE 0xffffffff

/* Sets where the table ends, if it lies in the section.  */
static void read_length(LineHeader* header, Cursor* at)
{
   ULong length = cursor_number(at, 4);
   header->sizes.offset_size = length == LONG_TABLE ? 8 : 4;
   if (length == LONG_TABLE)
      length = cursor_number(at, 8);
   if (!at->failed && length <= at->end - at->offset)
      header->end = at->end = at->offset + length;
}

Bool line_header_read(DwarfFile* file, ULong offset, LineHeader* header)
{
   const DwarfSection* section = dwarf_file_section(file, SectionLine);
   VG_(memset)(header, 0, sizeof *header);
   header->sizes.file = file;
   if (offset >= section->size)
      return False;
   Cursor at = {section->bytes, offset, section->size, False};
   read_length(header, &at);
   UInt version = header->sizes.version = (UInt)cursor_number(&at, 2);
   if (header->end == 0 || at.failed || version < 2 || version > 5)
      return False;
   header->sizes.address_size = sizeof(Addr);
   if (version == 5) {
      header->sizes.address_size = (UInt)cursor_number(&at, 1);
      cursor_skip(&at, 1); /* the size of a segment */
   }
   ULong length = cursor_number(&at, header->sizes.offset_size);
   ULong begin = at.offset;
   header->least_length = (UInt)cursor_number(&at, 1);
   header->most_operations = version >= 4 ? (UInt)cursor_number(&at, 1) : 1;
   cursor_skip(&at, 1); /* whether a row begins a statement, at first */
   header->line_base = (Char)cursor_number(&at, 1);
   header->line_range = (UInt)cursor_number(&at, 1);
   header->first_special = (UInt)cursor_number(&at, 1);
   header->n_operands = at.bytes + at.offset - 1;
   cursor_skip(&at, header->first_special > 0 ? header->first_special - 1 : 0);
   if (at.failed || length > at.end - begin)
      return False;
   header->program = begin + length;
   header->lists = at;
   return True;
}

/*--------------------------------------------------------------------*/
/* Folders and files up to version 4                                   */

static void add_file(LineNames* names, const HChar* name, ULong folder)
{
   LineFile file = {name, folder};
   VG_(addToXA)(names->files, &file);
}

static void read_old_lists(LineNames* names, Cursor* at)
{
   const HChar* name = ""; /* the unit's own folder */
   do {
      VG_(addToXA)(names->folders, &name);
      name = cursor_text(at);
   } while (name[0] != '\0');
   add_file(names, NULL, 0); /* number 0 */
   for (;;) {
      name = cursor_text(at);
      if (name[0] == '\0')
         return;
      ULong folder = cursor_unsigned(at);
      cursor_unsigned(at); /* its time */
      cursor_unsigned(at); /* its size */
      if (at->failed)
         return;
      add_file(names, name, folder);
   }
}

/*--------------------------------------------------------------------*/
/* From version 5 on                                                   */

#define MAX_FIELDS 16

typedef struct {
   ULong content, form;
} LineField;

static UInt read_fields(Cursor* at, LineField fields[MAX_FIELDS])
{
   UInt n = (UInt)cursor_number(at, 1);
   if (n > MAX_FIELDS) {
      at->failed = True;
      return 0;
   }
   for (UInt i = 0; i < n; i++) {
      fields[i].content = cursor_unsigned(at);
      fields[i].form = cursor_unsigned(at);
   }
   return n;
}

static void add_entry(LineNames* names, Bool are_folders, const HChar* name, ULong folder)
{
   if (!are_folders)
      add_file(names, name, folder);
   else {
      if (name == NULL)
         name = "";
      VG_(addToXA)(names->folders, &name);
   }
}

static void read_list(LineNames* names, const LineHeader* header, Cursor* at,
                      Bool are_folders)
{
   LineField fields[MAX_FIELDS];
   UInt n_fields = read_fields(at, fields);
   ULong n = cursor_unsigned(at);
   for (; n > 0 && n_fields > 0 && !at->failed; n--) {
      const HChar* name = NULL;
      ULong folder = 0, begin = at->offset;
      for (UInt i = 0; i < n_fields; i++) {
         DieValue value = die_read_value(&header->sizes, at, (UInt)fields[i].form, 0);
         if (fields[i].content == LinePath)
            name = die_text(&header->sizes, value);
         else if (fields[i].content == LineDirectory)
            (void)die_number(value, &folder);
      }
      if (at->failed || at->offset == begin)
         return; /* entries of nothing could be any number */
      add_entry(names, are_folders, name, folder);
   }
}

/*--------------------------------------------------------------------*/

LineNames line_header_names(LineHeader* header)
{
   LineNames names = {
      .folders = VG_(newXA)(VG_(malloc), "dwarf.folders", VG_(free), sizeof(HChar*)),
      .files = VG_(newXA)(VG_(malloc), "dwarf.files", VG_(free), sizeof(LineFile))};
   Cursor at = header->lists;
   if (header->sizes.version == 5) {
      read_list(&names, header, &at, True);
      read_list(&names, header, &at, False);
   } else
      read_old_lists(&names, &at);
   names.failed = at.failed;
   return names;
}

void line_header_free_names(LineNames* names)
{
   VG_(deleteXA)(names->folders);
   VG_(deleteXA)(names->files);
}
