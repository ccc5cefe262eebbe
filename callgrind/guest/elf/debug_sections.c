/* SPDX-License-Identifier: GPL-2.0-or-later

   See debug_sections.h.  */

#include "guest/elf/debug_sections.h"

#include "core/inflate.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define MAX_SECTION (1ULL << 30)

static const SectionHeader* find(const ElfFile* file, const HChar* name)
{
   for (UInt i = 0; i < file->n_headers; i++)
      if (file->headers[i].sh_type != SHT_NOBITS &&
          VG_(strcmp)(elf_file_section_name(file, &file->headers[i]), name) == 0)
         return &file->headers[i];
   return NULL;
}

/* What a section holds, with a NUL behind; no bytes if that cannot be read.  */
static DwarfSection contents(const ElfFile* file, const SectionHeader* header)
{
   DwarfSection found = {NULL, 0};
   if (header == NULL || header->sh_size > MAX_SECTION)
      return found;
   UChar* bytes =
      elf_file_bytes(file->fd, file->size, header->sh_offset, header->sh_size);
   if (bytes == NULL)
      return found;
   found.size = header->sh_size;
   found.bytes = VG_(realloc)("debug_sections", bytes, found.size + 1);
   found.bytes[found.size] = '\0';
   return found;
}

Bool debug_sections_has(const ElfFile* file, const HChar* name)
{
   return find(file, name) != NULL;
}

DwarfSection debug_sections_contents(const ElfFile* file, const HChar* name)
{
   return contents(file, find(file, name));
}

#ifdef CORE_CAN_INFLATE

#define MOST_TIMES_LARGER 1032

/* Takes `packed`, from the byte `begin` on, and returns what it becomes; it has `size`
   bytes.  */
static DwarfSection inflate(DwarfSection packed, SizeT begin, ULong size)
{
   DwarfSection found = {NULL, 0};
   ULong packed_size = packed.size - begin;
   if (size <= MAX_SECTION && size / MOST_TIMES_LARGER <= packed_size) {
      found.bytes = VG_(malloc)("debug_sections", size + 1);
      if (core_inflate(found.bytes, size, packed.bytes + begin, packed_size))
         found.size = size;
      found.bytes[found.size] = '\0';
   }
   VG_(free)(packed.bytes);
   return found;
}

#else

static DwarfSection inflate(DwarfSection packed, SizeT begin, ULong size)
{
   (void)begin;
   (void)size;
   VG_(free)(packed.bytes);
   return (DwarfSection){NULL, 0};
}

#endif

#if VG_WORDSIZE == 8
typedef Elf64_Chdr CompressionHeader;
#else
typedef Elf32_Chdr CompressionHeader;
#endif

/* An older form has "ZLIB" and eight bytes of the size, the highest first.  */
#define OLD_HEADER 12

static DwarfSection old_compressed(const ElfFile* file, const HChar* suffix)
{
   HChar name[32];
   VG_(snprintf)(name, sizeof name, ".zdebug_%s", suffix);
   DwarfSection packed = contents(file, find(file, name));
   if (packed.size <= OLD_HEADER || VG_(memcmp)(packed.bytes, "ZLIB", 4) != 0) {
      VG_(free)(packed.bytes);
      return (DwarfSection){NULL, 0};
   }
   ULong size = 0;
   for (UInt i = 4; i < OLD_HEADER; i++)
      size = size << 8 | packed.bytes[i];
   return inflate(packed, OLD_HEADER, size);
}

DwarfSection debug_sections_read(const ElfFile* file, const HChar* suffix)
{
   HChar name[32];
   VG_(snprintf)(name, sizeof name, ".debug_%s", suffix);
   const SectionHeader* header = find(file, name);
   if (header == NULL)
      return old_compressed(file, suffix);
   DwarfSection found = contents(file, header);
   if (!(header->sh_flags & SHF_COMPRESSED))
      return found;
   CompressionHeader compression;
   if (found.size > sizeof compression) {
      VG_(memcpy)(&compression, found.bytes, sizeof compression);
      if (compression.ch_type == ELFCOMPRESS_ZLIB)
         return inflate(found, sizeof compression, compression.ch_size);
   }
   VG_(free)(found.bytes);
   return (DwarfSection){NULL, 0};
}
