/* SPDX-License-Identifier: GPL-2.0-or-later

   See own_lines.h.

   A separate file is the object's if it has the same build id, and its code lies at the
   same addresses.  */

#include "guest/own_lines.h"

#include "dwarf/line_table.h"
#include "guest/elf/debug_sections.h"
#include "guest/inlined_code.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

struct OwnLines {
   LineTable* table;
   /* What was found last.  */
   const HChar* path;
   SourceFile* file;
};

static Bool has(const ElfFile* file, const HChar* name, const HChar* old_name)
{
   return debug_sections_has(file, name) || debug_sections_has(file, old_name);
}

/* Without entries of units the core reads no lines.  */
static Bool has_lines(const ElfFile* file)
{
   return has(file, ".debug_line", ".zdebug_line") &&
          has(file, ".debug_info", ".zdebug_info");
}

/* Where its code begins; 0 if it has no .text.  */
static Addr text_of(const ElfFile* file)
{
   for (UInt i = 0; i < file->n_headers; i++)
      if (VG_(strcmp)(elf_file_section_name(file, &file->headers[i]), ".text") == 0)
         return file->headers[i].sh_addr;
   return 0;
}

static Bool belongs_to(const ElfFile* file, const ElfFile* object)
{
   HChar *own = elf_file_build_id(file), *wanted = elf_file_build_id(object);
   Bool is_same = own != NULL && wanted != NULL && VG_(strcmp)(own, wanted) == 0 &&
                  text_of(file) == text_of(object);
   VG_(free)(own);
   VG_(free)(wanted);
   return is_same;
}

/* Of units in two parts, the core may read what it should not.  */
static Bool may_have_split_units(const ElfFile* file)
{
   return debug_sections_has(file, ".debug_addr");
}

/* Who reads inlined functions wants names of source files, too.  */
static DwarfSection read_section(const ElfFile* file, const HChar* suffix)
{
   return inlined_code_is_wanted() ? debug_sections_read_shared(file, suffix)
                                   : debug_sections_read(file, suffix);
}

static LineTable* read_table(const ElfFile* file, Addr start, Addr end)
{
   if (!has_lines(file) || may_have_split_units(file))
      return NULL;
   DwarfSection sections[DWARF_SECTIONS];
   VG_(memset)(sections, 0, sizeof sections);
   sections[SectionLine] = read_section(file, "line");
   sections[SectionLineStr] = read_section(file, "line_str");
   return line_table_read(sections, start, end);
}

static LineTable* read_separate(const HChar* path, const ElfFile* object, Addr start,
                                Addr end)
{
   ElfFile file;
   if (!elf_file_open(path, &file))
      return NULL;
   LineTable* table = belongs_to(&file, object) ? read_table(&file, start, end) : NULL;
   elf_file_close(&file);
   return table;
}

OwnLines* own_lines_read(const HChar* const* paths, UInt n_paths, Addr start, Addr end)
{
   ElfFile object;
   if (n_paths == 0 || !elf_file_open(paths[0], &object))
      return NULL;
   LineTable* table = NULL;
   if (has_lines(&object))
      table = read_table(&object, start, end);
   else
      for (UInt i = 1; i < n_paths && table == NULL; i++)
         table = read_separate(paths[i], &object, start, end);
   elf_file_close(&object);
   if (table == NULL)
      return NULL;
   OwnLines* lines = VG_(calloc)("own_lines", 1, sizeof *lines);
   lines->table = table;
   return lines;
}

void own_lines_free(OwnLines* lines)
{
   line_table_free(lines->table);
   VG_(free)(lines);
}

Bool own_lines_find(OwnLines* lines, Addr address, SourceLine* line)
{
   const HChar* path;
   UInt number;
   *line = (SourceLine){symbols_no_file(), 0, NULL};
   switch (line_table_find(lines->table, address, &path, &number)) {
   case LineUnclear: return False;
   case LineNone: return True;
   case LineFound: break;
   }
   if (path != lines->path) {
      lines->path = path;
      lines->file = symbols_intern_file(path);
   }
   line->file = lines->file;
   line->line = number;
   return True;
}
