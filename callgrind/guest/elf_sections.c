/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads the section headers of an ELF file; see elf_sections.h.

   Every offset and count in the file is checked against the size of the file before it is
   used, because a profiled program may map any file.  */

#include "guest/elf_sections.h"

#include "base/hash.h"

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

/* An open ELF file and its section headers.  */
typedef struct {
   Int fd;
   ULong size;
   ElfHeader* elf;
   SectionHeader* headers;
   UInt n_headers;
   HChar* names; /* ends with a NUL */
   ULong names_size;
} ElfFile;

/* Opens a regular file; -1 if that fails.  By now a pipe may have the name of the file
   that the program has mapped: opening it must not wait for a writer.  */
static Int open_file(const HChar* path, ULong* size)
{
   struct vg_stat status;
   if (sr_isError(VG_(stat)(path, &status)) || !VKI_S_ISREG(status.mode))
      return -1;
   SysRes opened = VG_(open)(path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   if (sr_isError(opened))
      return -1;
   Int fd = (Int)sr_Res(opened);
   if (VG_(fstat)(fd, &status) != 0 || !VKI_S_ISREG(status.mode)) {
      VG_(close)(fd);
      return -1;
   }
   *size = (ULong)status.size;
   return fd;
}

static void close_elf(ElfFile* file)
{
   VG_(free)(file->names);
   VG_(free)(file->headers);
   VG_(free)(file->elf);
   VG_(close)(file->fd);
}

static Bool is_native(const ElfHeader* elf)
{
   return VG_(memcmp)(elf->e_ident, ELFMAG, SELFMAG) == 0 &&
          elf->e_ident[EI_CLASS] == NATIVE_ELF_CLASS &&
          elf->e_shentsize == sizeof(SectionHeader) && elf->e_shstrndx < elf->e_shnum;
}

static void read_headers(ElfFile* file)
{
   file->elf = read_at(file->fd, file->size, 0, sizeof(ElfHeader));
   if (file->elf == NULL || !is_native(file->elf))
      return;
   file->n_headers = file->elf->e_shnum;
   file->headers = read_at(file->fd, file->size, file->elf->e_shoff,
                           (ULong)file->n_headers * sizeof(SectionHeader));
   if (file->headers == NULL)
      return;
   const SectionHeader* names = &file->headers[file->elf->e_shstrndx];
   if (names->sh_size > MAX_NAME_TABLE)
      return;
   file->names_size = names->sh_size;
   file->names = read_at(file->fd, file->size, names->sh_offset, names->sh_size);
   if (file->names != NULL)
      file->names[file->names_size - 1] = '\0';
}

/* Opens `path`; False if that is not an ELF file of the host's class with sections.  */
static Bool open_elf(const HChar* path, ElfFile* file)
{
   VG_(memset)(file, 0, sizeof *file);
   file->fd = open_file(path, &file->size);
   if (file->fd < 0)
      return False;
   read_headers(file);
   if (file->names != NULL)
      return True;
   close_elf(file);
   return False;
}

/* The name of a section; "" if the file gives it none.  */
static const HChar* name_of(const ElfFile* file, const SectionHeader* header)
{
   return header->sh_name < file->names_size ? file->names + header->sh_name : "";
}

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
      if (VG_(strcmp)(name_of(file, header), ".eh_frame") == 0)
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
      section->is_plt = is_plt_name(name_of(file, header));
   }
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

static HChar* read_build_id(const ElfFile* file)
{
   for (UInt i = 0; i < file->n_headers; i++) {
      const SectionHeader* header = &file->headers[i];
      if (header->sh_size < NOTE_HEADER + NOTE_NAME || header->sh_size > MAX_NOTE ||
          VG_(strcmp)(name_of(file, header), ".note.gnu.build-id") != 0)
         continue;
      UChar* note = read_at(file->fd, file->size, header->sh_offset, header->sh_size);
      if (note == NULL)
         return NULL;
      HChar* id = build_id_in(note, header->sh_size);
      VG_(free)(note);
      return id;
   }
   return NULL;
}

ElfSections elf_sections_read(const HChar* path)
{
   ElfSections found;
   VG_(memset)(&found, 0, sizeof found);
   ElfFile file;
   if (open_elf(path, &file)) {
      pick_sections(&found, &file);
      found.build_id = read_build_id(&file);
      found.entry = file.elf->e_entry;
      close_elf(&file);
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
   if (!open_elf(path, &file))
      return False;
   HChar* build_id = read_build_id(&file);
   const HChar* wanted = build_id != NULL ? "debug_line" : "debug_";
   ULong sum =
      hash_checksum(debug->sum, file.headers, file.n_headers * sizeof *file.headers);
   if (build_id != NULL)
      sum = hash_checksum(sum, build_id, VG_(strlen)(build_id));
   for (UInt i = 0; i < file.n_headers; i++) {
      const SectionHeader* header = &file.headers[i];
      if (header->sh_type == SHT_NOBITS)
         continue;
      const HChar* name = name_of(&file, header);
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
   close_elf(&file);
   return True;
}

/*--------------------------------------------------------------------*/
/* Questions                                                           */

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
