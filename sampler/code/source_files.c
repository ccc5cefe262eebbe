/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading headers of line tables; see source_files.h.  The DWARF 5 standard, section
   6.2.4, has their layout.  In versions 2 to 4, files are numbered from 1, and folder 0
   is where the compiler was started.  */

#include "code/source_files.h"

#include "base/memory.h"
#include "code/die_text.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FORMATS 16

typedef struct {
   const char* name;
   uint64_t folder; /* its number */
   char* path;      /* NULL until it is wanted */
} SourceFile;

struct SourceFiles {
   const char** folders; /* 0: where the compiler was started; NULL: not known */
   size_t folder_count;
   SourceFile* files;
   size_t file_count;
   unsigned first; /* the number of the first file */
};

/* Bytes that are read one field after the other.  */
typedef struct {
   const uint8_t* at;
   size_t left;
   bool is_bad;
   bool is_wide; /* lengths and offsets have 8 bytes */
   Elf* elf;     /* for texts in other sections */
} Reader;

/* --- Fields ------------------------------------------------------------------------- */

static uint64_t number(Reader* reader, size_t size)
{
   uint64_t value = 0;
   if (reader->left < size) {
      reader->is_bad = true;
      reader->left = 0;
      return 0;
   }
   for (size_t i = 0; i < size && i < 8; i++)
      value |= (uint64_t)reader->at[i] << 8 * i;
   reader->at += size;
   reader->left -= size;
   return value;
}

static uint64_t offset(Reader* reader) { return number(reader, reader->is_wide ? 8 : 4); }

/* LEB128, without a sign.  */
static uint64_t variable(Reader* reader)
{
   uint64_t value = 0;
   for (unsigned shift = 0; shift < 70; shift += 7) {
      uint64_t byte = number(reader, 1);
      if (shift < 64)
         value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
         return value;
   }
   reader->is_bad = true;
   return 0;
}

static const char* text(Reader* reader)
{
   const char* start = (const char*)reader->at;
   size_t length = strnlen(start, reader->left);
   if (length == reader->left) {
      reader->is_bad = true;
      return "";
   }
   reader->at += length + 1;
   reader->left -= length + 1;
   return start;
}

/* --- Sections ----------------------------------------------------------------------- */

static Elf_Scn* find_section(Elf* elf, const char* wanted, GElf_Shdr* header)
{
   size_t names;
   if (elf_getshdrstrndx(elf, &names) != 0)
      return NULL;
   for (Elf_Scn* section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
      const char* name = gelf_getshdr(section, header) == NULL
                            ? NULL
                            : elf_strptr(elf, names, header->sh_name);
      if (name != NULL && header->sh_type != SHT_NOBITS && strcmp(name, wanted) == 0)
         return section;
   }
   return NULL;
}

/* The bytes of a section from offset `from` on.  NULL if there are none.  */
static const uint8_t* section_bytes(Elf* elf, const char* name, uint64_t from,
                                    size_t* size)
{
   GElf_Shdr header;
   Elf_Scn* section = find_section(elf, name, &header);
   if (section == NULL)
      return NULL;
   /* libdw has expanded compressed sections when it opened the file.  */
   const Elf_Data* data = elf_getdata(section, NULL);
   if ((header.sh_flags & SHF_COMPRESSED) != 0 || data == NULL || data->d_buf == NULL ||
       from >= data->d_size)
      return NULL;
   *size = data->d_size - from;
   return (const uint8_t*)data->d_buf + from;
}

/* Reads an offset, and returns the text there in another section.  */
static const char* text_in(Reader* reader, const char* section)
{
   size_t size;
   uint64_t at = offset(reader);
   const uint8_t* bytes = section_bytes(reader->elf, section, at, &size);
   if (bytes != NULL && memchr(bytes, '\0', size) != NULL)
      return (const char*)bytes;
   reader->is_bad = true;
   return "";
}

/* --- Tables ------------------------------------------------------------------------- */

static void add_folder(SourceFiles* files, const char* path)
{
   files->folders =
      memory_reallocate(files->folders, files->folder_count + 1, sizeof *files->folders);
   files->folders[files->folder_count++] = path;
}

static void add_file(SourceFiles* files, const char* name, uint64_t folder)
{
   files->files =
      memory_reallocate(files->files, files->file_count + 1, sizeof *files->files);
   files->files[files->file_count++] = (SourceFile){name, folder, NULL};
}

/* Versions 2 to 4: lists that end with an empty name.  */
static void read_old_tables(SourceFiles* files, Reader* reader, const char* compiled_in)
{
   const char* name;
   files->first = 1;
   add_folder(files, compiled_in);
   while (!reader->is_bad && *(name = text(reader)) != '\0')
      add_folder(files, name);
   while (!reader->is_bad && *(name = text(reader)) != '\0') {
      uint64_t folder = variable(reader);
      variable(reader); /* when it was changed last */
      variable(reader); /* its size */
      if (!reader->is_bad)
         add_file(files, name, folder);
   }
}

typedef struct {
   unsigned count;
   struct {
      uint64_t content, form;
   } fields[MAX_FORMATS];
} EntryFormat;

static EntryFormat read_format(Reader* reader)
{
   EntryFormat format = {.count = (unsigned)number(reader, 1)};
   if (format.count > MAX_FORMATS) {
      reader->is_bad = true;
      format.count = 0;
   }
   for (unsigned i = 0; i < format.count; i++) {
      format.fields[i].content = variable(reader);
      format.fields[i].form = variable(reader);
   }
   return format;
}

/* One field of an entry: a text, or a number.  */
static void read_field(Reader* reader, uint64_t form, const char** name, uint64_t* value)
{
   switch (form) {
   case DW_FORM_string: *name = text(reader); break;
   case DW_FORM_line_strp: *name = text_in(reader, ".debug_line_str"); break;
   case DW_FORM_strp: *name = text_in(reader, ".debug_str"); break;
   case DW_FORM_udata: *value = variable(reader); break;
   case DW_FORM_data1: *value = number(reader, 1); break;
   case DW_FORM_data2: *value = number(reader, 2); break;
   case DW_FORM_data4: *value = number(reader, 4); break;
   case DW_FORM_data8: *value = number(reader, 8); break;
   case DW_FORM_data16: number(reader, 16); break;
   case DW_FORM_block: number(reader, variable(reader)); break;
   default: reader->is_bad = true; break;
   }
}

/* Version 5: entries whose fields the table itself describes.  */
static void read_entries(SourceFiles* files, Reader* reader, bool are_folders)
{
   EntryFormat format = read_format(reader);
   uint64_t count = variable(reader);
   if (format.count == 0 && count != 0)
      reader->is_bad = true;
   for (uint64_t i = 0; i < count && !reader->is_bad; i++) {
      const char* name = "";
      uint64_t folder = 0;
      for (unsigned j = 0; j < format.count; j++) {
         const char* read_name = NULL;
         uint64_t value = 0;
         read_field(reader, format.fields[j].form, &read_name, &value);
         if (format.fields[j].content == DW_LNCT_path && read_name != NULL)
            name = read_name;
         else if (format.fields[j].content == DW_LNCT_directory_index)
            folder = value;
      }
      if (reader->is_bad)
         return;
      if (are_folders)
         add_folder(files, name);
      else
         add_file(files, name, folder);
   }
}

static void read_header(SourceFiles* files, Reader* reader, const char* compiled_in)
{
   uint64_t length = number(reader, 4);
   if (length == 0xffffffff) {
      reader->is_wide = true;
      length = number(reader, 8);
   }
   if (length < reader->left)
      reader->left = length;
   uint64_t version = number(reader, 2);
   if (version < 2 || version > 5)
      return;
   if (version == 5)
      number(reader, 2); /* sizes of addresses and of segment selectors */
   offset(reader);       /* the length of the header */
   number(reader, version >= 4 ? 5 : 4);
   uint64_t opcodes = number(reader, 1);
   for (uint64_t i = 1; i < opcodes; i++)
      number(reader, 1);
   if (version < 5) {
      read_old_tables(files, reader, compiled_in);
   } else {
      read_entries(files, reader, true);
      read_entries(files, reader, false);
   }
}

SourceFiles* source_files_read(Dwarf_Die* unit)
{
   SourceFiles* files = memory_allocate(sizeof *files);
   Elf* elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
   Dwarf_Attribute attribute;
   Dwarf_Word at;
   size_t size;
   if (elf == NULL || dwarf_attr(unit, DW_AT_stmt_list, &attribute) == NULL ||
       dwarf_formudata(&attribute, &at) != 0)
      return files;
   const uint8_t* bytes = section_bytes(elf, ".debug_line", at, &size);
   if (bytes == NULL)
      return files;
   Reader reader = {.at = bytes, .left = size, .elf = elf};
   const char* compiled_in = NULL;
   if (dwarf_attr(unit, DW_AT_comp_dir, &attribute) != NULL)
      compiled_in = die_text(&attribute);
   read_header(files, &reader, compiled_in);
   return files;
}

/* --- Paths -------------------------------------------------------------------------- */

static char* join(const char* first, const char* second, const char* third)
{
   size_t size = strlen(first) + strlen(second) + strlen(third) + 3;
   char* path = memory_allocate(size);
   snprintf(path, size, "%s%s%s%s%s", first, *first ? "/" : "", second,
            *second ? "/" : "", third);
   return path;
}

const char* source_files_path(SourceFiles* files, uint64_t file_number)
{
   if (file_number < files->first || file_number - files->first >= files->file_count)
      return NULL;
   SourceFile* file = &files->files[file_number - files->first];
   if (file->path == NULL) {
      const char* base = files->folder_count != 0 ? files->folders[0] : NULL;
      const char* folder =
         file->folder < files->folder_count ? files->folders[file->folder] : NULL;
      if (file->name[0] == '/' || folder == NULL)
         file->path = memory_copy_text(file->name);
      else if (folder[0] == '/' || file->folder == 0 || base == NULL)
         file->path = join("", folder, file->name);
      else
         file->path = join(base, folder, file->name);
   }
   return file->path;
}

void source_files_free(SourceFiles* files)
{
   for (size_t i = 0; i < files->file_count; i++)
      free(files->files[i].path);
   free(files->files);
   free(files->folders);
   free(files);
}
