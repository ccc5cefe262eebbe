/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads the section headers of an ELF file; see elf_sections.h.

   Every offset and count in the file is checked against the size of the file before it is
   used, because a profiled program may map any file.  */

#include "guest/elf_sections.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include <elf.h>

#if VG_WORDSIZE == 8
typedef Elf64_Ehdr ElfHeader;
typedef Elf64_Shdr SectionHeader;
#define NATIVE_ELF_CLASS ELFCLASS64
#else
typedef Elf32_Ehdr ElfHeader;
typedef Elf32_Shdr SectionHeader;
#define NATIVE_ELF_CLASS ELFCLASS32
#endif

/* No real object has more; a corrupt header may claim anything.  */
#define MAX_NAME_TABLE (16 * 1024 * 1024)
#define MAX_EH_FRAME (512 * 1024 * 1024)
#define MAX_NOTE 4096

/* Reads `size` bytes at `offset` into newly allocated memory, which the caller
   frees.  NULL if the file does not have them.  */
static void* read_at(Int fd, ULong file_size, ULong offset, ULong size)
{
   if (size == 0 || offset > file_size || size > file_size - offset)
      return NULL;
   if (VG_(lseek)(fd, (Off64T)offset, VKI_SEEK_SET) < 0)
      return NULL;
   UChar* bytes = VG_(malloc)("elf_sections.read", size);
   ULong done = 0;
   while (done < size) {
      Int got = VG_(read)(fd, bytes + done, (Int)(size - done));
      if (got <= 0) {
         VG_(free)(bytes);
         return NULL;
      }
      done += (ULong)got;
   }
   return bytes;
}

static Bool is_plt_name(const HChar* name)
{
   return VG_(strcmp)(name, ".plt") == 0 || VG_(strncmp)(name, ".plt.", 5) == 0 ||
          VG_(strcmp)(name, ".iplt") == 0;
}

static ElfSections pick_executable(const SectionHeader* headers, UInt n_headers,
                                   const HChar* names, ULong names_size)
{
   ElfSections found;
   UInt capacity = 0;
   VG_(memset)(&found, 0, sizeof found);
   for (UInt i = 0; i < n_headers; i++) {
      const SectionHeader* header = &headers[i];
      if (header->sh_name < names_size &&
          VG_(strcmp)(names + header->sh_name, ".eh_frame") == 0 &&
          header->sh_type != SHT_NOBITS && header->sh_size <= MAX_EH_FRAME) {
         found.eh_frame_offset = header->sh_offset;
         found.eh_frame_size = header->sh_size;
         found.eh_frame_address = header->sh_addr;
      }
      if (!(header->sh_flags & SHF_EXECINSTR) || header->sh_type == SHT_NOBITS)
         continue;
      if (found.n_sections == capacity) {
         capacity = capacity == 0 ? 8 : capacity * 2;
         found.sections = VG_(realloc)("elf_sections.list", found.sections,
                                       capacity * sizeof(ElfSection));
      }
      ElfSection* section = &found.sections[found.n_sections++];
      section->file_offset = header->sh_offset;
      section->size = header->sh_size;
      section->address = header->sh_addr;
      section->is_plt =
         header->sh_name < names_size && is_plt_name(names + header->sh_name);
   }
   return found;
}

/* A note has three words (the length of its name, the length of its content, and a type),
   then the name and the content, each padded to a multiple of four bytes.  */
#define NOTE_HEADER (3 * sizeof(UInt))
#define NOTE_NAME 4 /* "GNU" */
#define MAX_BUILD_ID 64

static HChar* build_id_in(const UChar* note, ULong size)
{
   const UInt* words = (const UInt*)note;
   UInt length = words[1];
   if (words[0] != NOTE_NAME || words[2] != NT_GNU_BUILD_ID || length == 0 ||
       length > MAX_BUILD_ID || NOTE_HEADER + NOTE_NAME + length > size)
      return NULL;
   HChar* id = VG_(malloc)("elf_sections.build_id", 2 * length + 1);
   for (UInt i = 0; i < length; i++)
      VG_(sprintf)(id + 2 * i, "%02x", note[NOTE_HEADER + NOTE_NAME + i]);
   return id;
}

static HChar* read_build_id(Int fd, ULong file_size, const SectionHeader* headers,
                            UInt n_headers, const HChar* names, ULong names_size)
{
   for (UInt i = 0; i < n_headers; i++) {
      const SectionHeader* header = &headers[i];
      if (header->sh_name >= names_size || header->sh_size < NOTE_HEADER + NOTE_NAME ||
          header->sh_size > MAX_NOTE ||
          VG_(strcmp)(names + header->sh_name, ".note.gnu.build-id") != 0)
         continue;
      UChar* note = read_at(fd, file_size, header->sh_offset, header->sh_size);
      if (note == NULL)
         return NULL;
      HChar* id = build_id_in(note, header->sh_size);
      VG_(free)(note);
      return id;
   }
   return NULL;
}

static ElfSections read_sections(Int fd, ULong file_size)
{
   ElfSections found;
   VG_(memset)(&found, 0, sizeof found);
   ElfHeader* elf = read_at(fd, file_size, 0, sizeof(ElfHeader));
   if (elf == NULL)
      return found;
   SectionHeader* headers = NULL;
   HChar* names = NULL;
   if (VG_(memcmp)(elf->e_ident, ELFMAG, SELFMAG) == 0 &&
       elf->e_ident[EI_CLASS] == NATIVE_ELF_CLASS &&
       elf->e_shentsize == sizeof(SectionHeader) && elf->e_shstrndx < elf->e_shnum)
      headers = read_at(fd, file_size, elf->e_shoff,
                        (ULong)elf->e_shnum * sizeof(SectionHeader));
   if (headers != NULL && headers[elf->e_shstrndx].sh_size <= MAX_NAME_TABLE)
      names = read_at(fd, file_size, headers[elf->e_shstrndx].sh_offset,
                      headers[elf->e_shstrndx].sh_size);
   if (names != NULL) {
      ULong names_size = headers[elf->e_shstrndx].sh_size;
      names[names_size - 1] = '\0';
      found = pick_executable(headers, elf->e_shnum, names, names_size);
      found.build_id =
         read_build_id(fd, file_size, headers, elf->e_shnum, names, names_size);
      found.entry = elf->e_entry;
   }
   VG_(free)(names);
   VG_(free)(headers);
   VG_(free)(elf);
   return found;
}

/* Opens a regular file; -1 if that fails.  */
static Int open_file(const HChar* path, ULong* size)
{
   SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return -1;
   Int fd = (Int)sr_Res(opened);
   struct vg_stat status;
   if (VG_(fstat)(fd, &status) != 0 || !VKI_S_ISREG(status.mode)) {
      VG_(close)(fd);
      return -1;
   }
   *size = (ULong)status.size;
   return fd;
}

ElfSections elf_sections_read(const HChar* path)
{
   ElfSections found;
   VG_(memset)(&found, 0, sizeof found);
   ULong size;
   Int fd = open_file(path, &size);
   if (fd >= 0) {
      found = read_sections(fd, size);
      VG_(close)(fd);
   }
   return found;
}

static const FunctionExtents* functions_of(ElfSections* sections, const HChar* path)
{
   if (!sections->functions_are_read) {
      sections->functions_are_read = True;
      ULong size;
      Int fd = open_file(path, &size);
      if (fd >= 0) {
         UChar* bytes =
            read_at(fd, size, sections->eh_frame_offset, sections->eh_frame_size);
         if (bytes != NULL)
            sections->functions = elf_functions_read(bytes, sections->eh_frame_size,
                                                     sections->eh_frame_address);
         VG_(free)(bytes);
         VG_(close)(fd);
      }
   }
   return &sections->functions;
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
