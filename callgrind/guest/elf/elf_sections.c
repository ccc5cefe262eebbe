/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads the section headers of an ELF file; see elf_sections.h.

   Every offset and count in the file is checked against the size of the file before it is
   used, because a profiled program may map any file.  */

#include "guest/elf/elf_sections.h"

#include "base/hash.h"
#include "guest/elf/elf_file.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* No real object has more; a corrupt header may claim anything.  */
#define MAX_EH_FRAME (512 * 1024 * 1024)

static Bool is_plt_name(const HChar* name)
{
   return VG_(strcmp)(name, ".plt") == 0 || VG_(strncmp)(name, ".plt.", 5) == 0 ||
          VG_(strcmp)(name, ".iplt") == 0;
}

static void note_frames(ElfSections* found, const SectionHeader* header)
{
   if (header->sh_type == SHT_NOBITS || header->sh_size > MAX_EH_FRAME)
      return;
   found->eh_frame_offset = header->sh_offset;
   found->eh_frame_size = header->sh_size;
   found->eh_frame_address = header->sh_addr;
}

static void pick_sections(ElfSections* found, const ElfFile* file)
{
   UInt capacity = 0;
   for (UInt i = 0; i < file->n_headers; i++) {
      const SectionHeader* header = &file->headers[i];
      if (VG_(strcmp)(elf_file_section_name(file, header), ".eh_frame") == 0)
         note_frames(found, header);
      if (!(header->sh_flags & SHF_EXECINSTR) || header->sh_type == SHT_NOBITS)
         continue;
      if (found->n_sections == capacity) {
         capacity = capacity == 0 ? 8 : capacity * 2;
         found->sections = VG_(realloc)("elf_sections.list", found->sections,
                                        capacity * sizeof(ElfSection));
      }
      ElfSection* section = &found->sections[found->n_sections++];
      section->file_offset = header->sh_offset;
      section->size = header->sh_size;
      section->address = header->sh_addr;
      section->is_plt = is_plt_name(elf_file_section_name(file, header));
   }
}

/* What was read ahead and not asked for so far.  */
typedef struct {
   HChar* path;
   ElfSections sections;
} ReadAhead;

static XArray* read_ahead; /* of ReadAhead; NULL: nothing */

static Word find_read_ahead(const HChar* path)
{
   for (Word i = 0; read_ahead != NULL && i < VG_(sizeXA)(read_ahead); i++)
      if (VG_(strcmp)(((ReadAhead*)VG_(indexXA)(read_ahead, i))->path, path) == 0)
         return i;
   return -1;
}

ElfSections elf_sections_read(const HChar* path)
{
   ElfSections found;
   Word ahead = find_read_ahead(path);
   if (ahead >= 0) {
      ReadAhead* entry = VG_(indexXA)(read_ahead, ahead);
      found = entry->sections;
      VG_(free)(entry->path);
      VG_(removeIndexXA)(read_ahead, ahead);
      return found;
   }
   VG_(memset)(&found, 0, sizeof found);
   ElfFile file;
   if (elf_file_open(path, &file)) {
      pick_sections(&found, &file);
      found.build_id = elf_file_build_id(&file);
      found.entry = file.elf->e_entry;
      elf_file_close(&file);
   }
   return found;
}

/*--------------------------------------------------------------------*/
/* Debug information                                                   */

static ULong sum_of_section(ULong sum, const ElfFile* file, const SectionHeader* header)
{
   static UChar piece[1 << 16];
   ULong left = header->sh_size;
   if (header->sh_offset > file->size || left > file->size - header->sh_offset ||
       VG_(lseek)(file->fd, (Off64T)header->sh_offset, VKI_SEEK_SET) < 0)
      return sum;
   while (left > 0) {
      Int got =
         VG_(read)(file->fd, piece, left < sizeof piece ? (Int)left : (Int)sizeof piece);
      if (got <= 0)
         break;
      sum = hash_checksum(sum, piece, (SizeT)got);
      left -= (ULong)got;
   }
   return sum;
}

/* Does the section, or its compressed form, have a name that begins like this?  */
static Bool begins(const HChar* name, const HChar* what)
{
   if (VG_(strncmp)(name, ".z", 2) == 0)
      name++;
   else if (name[0] != '.')
      return False;
   return VG_(strncmp)(name + 1, what, VG_(strlen)(what)) == 0;
}

Bool elf_sections_add_debug(const HChar* path, ElfDebug* debug)
{
   ElfFile file;
   if (!elf_file_open(path, &file))
      return False;
   HChar* build_id = elf_file_build_id(&file);
   const HChar* wanted = build_id != NULL ? "debug_line" : "debug_";
   ULong sum =
      hash_checksum(debug->sum, file.headers, file.n_headers * sizeof *file.headers);
   if (build_id != NULL)
      sum = hash_checksum(sum, build_id, VG_(strlen)(build_id));
   for (UInt i = 0; i < file.n_headers; i++) {
      const SectionHeader* header = &file.headers[i];
      if (header->sh_type == SHT_NOBITS)
         continue;
      const HChar* name = elf_file_section_name(&file, header);
      if (header->sh_type == SHT_SYMTAB || header->sh_type == SHT_DYNSYM)
         debug->symbols_size += header->sh_size;
      if (begins(name, "debug_frame") || VG_(strcmp)(name, ".eh_frame") == 0)
         debug->frames_size += header->sh_size;
      else if (begins(name, "debug_"))
         debug->debug_size += header->sh_size;
      if (debug->wants_sum && begins(name, wanted))
         sum = sum_of_section(sum, &file, header);
   }
   debug->sum = sum;
   VG_(free)(build_id);
   elf_file_close(&file);
   return True;
}

/*--------------------------------------------------------------------*/
/* Questions                                                           */

static const FunctionExtents* functions_of(ElfSections* sections, const HChar* path)
{
   if (!sections->functions_are_read) {
      sections->functions_are_read = True;
      ULong size;
      Int fd = elf_file_open_regular(path, &size);
      if (fd >= 0) {
         UChar* bytes =
            elf_file_bytes(fd, size, sections->eh_frame_offset, sections->eh_frame_size);
         if (bytes != NULL)
            sections->functions = elf_functions_read(bytes, sections->eh_frame_size,
                                                     sections->eh_frame_address);
         VG_(free)(bytes);
         VG_(close)(fd);
      }
   }
   return &sections->functions;
}

void elf_sections_read_functions(ElfSections* sections, const HChar* path)
{
   (void)functions_of(sections, path);
}

void elf_sections_read_ahead(const HChar* path)
{
   if (find_read_ahead(path) >= 0)
      return;
   ReadAhead entry = {VG_(strdup)("elf_sections.path", path), elf_sections_read(path)};
   elf_sections_read_functions(&entry.sections, path);
   if (read_ahead == NULL)
      read_ahead = VG_(newXA)(VG_(malloc), "elf_sections.ahead", VG_(free), sizeof entry);
   VG_(addToXA)(read_ahead, &entry);
}

const FunctionExtent* elf_sections_function(ElfSections* sections, const HChar* path,
                                            Addr address)
{
   return elf_functions_find(functions_of(sections, path), address);
}

static const ElfSection* section_at(const ElfSections* sections, Addr address)
{
   for (UInt i = 0; i < sections->n_sections; i++) {
      const ElfSection* section = &sections->sections[i];
      if (address >= section->address && address - section->address < section->size)
         return section;
   }
   return NULL;
}

Bool elf_sections_is_entry_code(ElfSections* sections, const HChar* path, Addr address)
{
   Addr entry = sections->entry;
   const ElfSection* section = section_at(sections, address);
   return section != NULL && address >= entry && section_at(sections, entry) == section &&
          !elf_functions_has_any(functions_of(sections, path), entry, address);
}

const ElfSection* elf_sections_find(const ElfSections* sections, ULong file_offset)
{
   for (UInt i = 0; i < sections->n_sections; i++) {
      const ElfSection* section = &sections->sections[i];
      if (file_offset >= section->file_offset &&
          file_offset - section->file_offset < section->size)
         return section;
   }
   return NULL;
}
