/* SPDX-License-Identifier: GPL-2.0-or-later

   Opens ELF files; see elf_file.h.

   Every offset and count in the file is checked against the size of the file before it is
   used, because a profiled program may map any file.  */

#include "guest/elf/elf_file.h"

#include "base/system_filter.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#if VG_WORDSIZE == 8
#define NATIVE_ELF_CLASS ELFCLASS64
#else
#define NATIVE_ELF_CLASS ELFCLASS32
#endif

/* No real object has more; a corrupt header may claim anything.  */
#define MAX_NAME_TABLE (16 * 1024 * 1024)
#define MAX_NOTE 4096

void* elf_file_bytes(Int fd, ULong file_size, ULong offset, ULong size)
{
   if (size == 0 || offset > file_size || size > file_size - offset)
      return NULL;
   if (VG_(lseek)(fd, (Off64T)offset, VKI_SEEK_SET) < 0)
      return NULL;
   UChar* bytes = VG_(malloc)("elf_sections.read", size + 1);
   ULong done = 0;
   while (done < size) {
      Int got = VG_(read)(fd, bytes + done, (Int)(size - done));
      if (got <= 0) {
         VG_(free)(bytes);
         return NULL;
      }
      done += (ULong)got;
   }
   bytes[size] = '\0';
   return bytes;
}

Int elf_file_open_regular(const HChar* path, ULong* size)
{
   struct vg_stat status;
   if (system_filter_is_on() || sr_isError(VG_(stat)(path, &status)) ||
       !VKI_S_ISREG(status.mode))
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

void elf_file_close(ElfFile* file)
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
   file->elf = elf_file_bytes(file->fd, file->size, 0, sizeof(ElfHeader));
   if (file->elf == NULL || !is_native(file->elf))
      return;
   file->n_headers = file->elf->e_shnum;
   file->headers = elf_file_bytes(file->fd, file->size, file->elf->e_shoff,
                                  (ULong)file->n_headers * sizeof(SectionHeader));
   if (file->headers == NULL)
      return;
   const SectionHeader* names = &file->headers[file->elf->e_shstrndx];
   if (names->sh_size > MAX_NAME_TABLE)
      return;
   file->names_size = names->sh_size;
   file->names = elf_file_bytes(file->fd, file->size, names->sh_offset, names->sh_size);
   if (file->names != NULL)
      file->names[file->names_size - 1] = '\0';
}

Bool elf_file_open(const HChar* path, ElfFile* file)
{
   VG_(memset)(file, 0, sizeof *file);
   file->fd = elf_file_open_regular(path, &file->size);
   if (file->fd < 0)
      return False;
   read_headers(file);
   if (file->names != NULL)
      return True;
   elf_file_close(file);
   return False;
}

const HChar* elf_file_section_name(const ElfFile* file, const SectionHeader* header)
{
   return header->sh_name < file->names_size ? file->names + header->sh_name : "";
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

HChar* elf_file_build_id(const ElfFile* file)
{
   for (UInt i = 0; i < file->n_headers; i++) {
      const SectionHeader* header = &file->headers[i];
      if (header->sh_size < NOTE_HEADER + NOTE_NAME || header->sh_size > MAX_NOTE ||
          VG_(strcmp)(elf_file_section_name(file, header), ".note.gnu.build-id") != 0)
         continue;
      UChar* note =
         elf_file_bytes(file->fd, file->size, header->sh_offset, header->sh_size);
      if (note == NULL)
         return NULL;
      HChar* id = build_id_in(note, header->sh_size);
      VG_(free)(note);
      return id;
   }
   return NULL;
}
