/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the sections that are shared; see debug_sections.h.  */

#include "guest/elf/debug_sections.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

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
   DwarfSection found = {NULL, 0, NULL};
   if (header == NULL || header->sh_size > MAX_SECTION)
      return found;
   found.bytes = elf_file_bytes(file->fd, file->size, header->sh_offset, header->sh_size);
   if (found.bytes != NULL)
      found.size = header->sh_size;
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

/* No byte becomes more than so many.  */
#define MOST_TIMES_LARGER 1032

/* Takes `packed`, of which the bytes from `begin` on become `size` bytes.  */
static DwarfSection unpacked(DwarfSection packed, SizeT begin, ULong size)
{
   if (size <= MAX_SECTION && size / MOST_TIMES_LARGER <= packed.size - begin)
      return section_packed(packed.bytes, begin, packed.size, size);
   VG_(free)(packed.bytes);
   return (DwarfSection){NULL, 0, NULL};
}

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
      return (DwarfSection){NULL, 0, NULL};
   }
   ULong size = 0;
   for (UInt i = 4; i < OLD_HEADER; i++)
      size = size << 8 | packed.bytes[i];
   return unpacked(packed, OLD_HEADER, size);
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
         return unpacked(found, sizeof compression, compression.ch_size);
   }
   VG_(free)(found.bytes);
   return (DwarfSection){NULL, 0, NULL};
}

/*--------------------------------------------------------------------*/
/* Shared                                                              */

typedef struct {
   struct vg_stat of; /* the file */
   HChar suffix[16];
   DwarfSection section;
} SharedSection;

static XArray* shared; /* of SharedSection; NULL: none */

static Bool is_same_file(const struct vg_stat* a, const struct vg_stat* b)
{
   return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
          a->mtime == b->mtime && a->mtime_nsec == b->mtime_nsec;
}

static const SharedSection* find_shared(const struct vg_stat* of, const HChar* suffix)
{
   for (Word i = 0; shared != NULL && i < VG_(sizeXA)(shared); i++) {
      const SharedSection* entry = VG_(indexXA)(shared, i);
      if (is_same_file(&entry->of, of) && VG_(strcmp)(entry->suffix, suffix) == 0)
         return entry;
   }
   return NULL;
}

DwarfSection debug_sections_read_shared(const ElfFile* file, const HChar* suffix)
{
   SharedSection added;
   VG_(memset)(&added, 0, sizeof added);
   Bool is_known = VG_(fstat)(file->fd, &added.of) == 0;
   const SharedSection* found = is_known ? find_shared(&added.of, suffix) : NULL;
   if (found != NULL)
      return section_share(&found->section);
   added.section = debug_sections_read(file, suffix);
   if (!is_known || added.section.packed == NULL)
      return added.section;
   VG_(snprintf)(added.suffix, sizeof added.suffix, "%s", suffix);
   if (shared == NULL)
      shared = VG_(newXA)(VG_(malloc), "debug_sections", VG_(free), sizeof added);
   VG_(addToXA)(shared, &added);
   return section_share(&added.section);
}
