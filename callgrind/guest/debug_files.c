/* SPDX-License-Identifier: GPL-2.0-or-later

   See debug_files.h.

   A separate file is the object's if it has the same build id, or, for an object without
   one, the checksum that stands in .gnu_debuglink.  Sections may be compressed.  What dwz
   has taken out of several files is in a further one (.gnu_debugaltlink).  */

#include "guest/debug_files.h"

#include "dwarf/units.h"
#include "guest/elf_file.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define DEBUG_FOLDER "/usr/lib/debug"
#define MAX_SECTION (1ULL << 30)
#define MAX_LINK 4096

/*--------------------------------------------------------------------*/
/* Sections                                                            */

static const SectionHeader* section_of(const ElfFile* file, const HChar* name)
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
   found.bytes = VG_(realloc)("debug_files.section", bytes, found.size + 1);
   found.bytes[found.size] = '\0';
   return found;
}

#ifdef HAVE_CORE_INFLATE

#define WITH_ZLIB_HEADER 1 /* a flag of the core's function */
#define MOST_TIMES_LARGER 1032

/* Takes `packed`, from the byte `begin` on, and returns what it becomes; it has `size`
   bytes.  */
static DwarfSection inflate(DwarfSection packed, SizeT begin, ULong size)
{
   DwarfSection found = {NULL, 0};
   ULong packed_size = packed.size - begin;
   if (size <= MAX_SECTION && size / MOST_TIMES_LARGER <= packed_size) {
      found.bytes = VG_(malloc)("debug_files.section", size + 1);
      if (tinfl_decompress_mem_to_mem(found.bytes, size, packed.bytes + begin,
                                      packed_size, WITH_ZLIB_HEADER) == size)
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
   DwarfSection packed = contents(file, section_of(file, name));
   if (packed.size <= OLD_HEADER || VG_(memcmp)(packed.bytes, "ZLIB", 4) != 0) {
      VG_(free)(packed.bytes);
      return (DwarfSection){NULL, 0};
   }
   ULong size = 0;
   for (UInt i = 4; i < OLD_HEADER; i++)
      size = size << 8 | packed.bytes[i];
   return inflate(packed, OLD_HEADER, size);
}

static DwarfSection debug_section(const ElfFile* file, const HChar* suffix)
{
   HChar name[32];
   VG_(snprintf)(name, sizeof name, ".debug_%s", suffix);
   const SectionHeader* header = section_of(file, name);
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

/*--------------------------------------------------------------------*/
/* Other files                                                         */

/* `first`, `second` and `third`, one behind the other; the caller frees it.  */
static HChar* joined(const HChar* first, const HChar* second, const HChar* third)
{
   SizeT size = VG_(strlen)(first) + VG_(strlen)(second) + VG_(strlen)(third) + 1;
   HChar* text = VG_(malloc)("debug_files.path", size);
   VG_(snprintf)(text, (Int)size, "%s%s%s", first, second, third);
   return text;
}

/* The folder of `path`, with the slash behind it; the caller frees it.  */
static HChar* folder_of(const HChar* path)
{
   HChar* folder = VG_(strdup)("debug_files.folder", path);
   HChar* slash = VG_(strrchr)(folder, '/');
   folder[slash != NULL ? slash + 1 - folder : 0] = '\0';
   return folder;
}

static DwarfFile* read_file(const ElfFile* file, const HChar* path, Bool has_alternate);

/* What dwz has put into another file, whose name stands in the section, with its build
   id behind it.  */
static DwarfFile* read_alternate(const ElfFile* file, const HChar* path)
{
   DwarfSection link = contents(file, section_of(file, ".gnu_debugaltlink"));
   if (link.size == 0 || link.size > MAX_LINK) {
      VG_(free)(link.bytes);
      return NULL;
   }
   const HChar* name = (const HChar*)link.bytes;
   HChar* folder = folder_of(path);
   HChar* full = joined(name[0] == '/' ? "" : folder, name, "");
   DwarfFile* found = NULL;
   ElfFile other;
   if (elf_file_open(full, &other)) {
      found = read_file(&other, full, False);
      elf_file_close(&other);
   }
   VG_(free)(full);
   VG_(free)(folder);
   VG_(free)(link.bytes);
   return found;
}

static DwarfFile* read_file(const ElfFile* file, const HChar* path, Bool has_alternate)
{
   static const HChar* const names[DWARF_SECTIONS] = {"info",     "abbrev",      "str",
                                                      "line_str", "str_offsets", "addr",
                                                      "ranges",   "rnglists",    "line"};
   DwarfSection sections[DWARF_SECTIONS];
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      sections[i] = debug_section(file, names[i]);
   return units_new_file(sections, has_alternate ? read_alternate(file, path) : NULL);
}

static Bool has_debug_information(const ElfFile* file)
{
   return section_of(file, ".debug_info") != NULL ||
          section_of(file, ".zdebug_info") != NULL;
}

/* The checksum of .gnu_debuglink: CRC-32, as in gzip.  */
static UInt checksum_of(const ElfFile* file)
{
   static UChar piece[1 << 16];
   UInt sum = ~0u;
   Int got = -1;
   if (VG_(lseek)(file->fd, 0, VKI_SEEK_SET) == 0)
      while ((got = VG_(read)(file->fd, piece, sizeof piece)) > 0)
         for (Int i = 0; i < got; i++) {
            sum ^= piece[i];
            for (UInt bit = 0; bit < 8; bit++)
               sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
         }
   return ~sum;
}

/* What a separate file is to have.  */
typedef struct {
   HChar* build_id; /* NULL: the object has none */
   UInt checksum;
} Wanted;

/* Reads the file `path`, if that is the wanted one.  */
static DwarfFile* read_separate(const HChar* path, const Wanted* wanted)
{
   ElfFile file;
   if (!elf_file_open(path, &file))
      return NULL;
   HChar* build_id = elf_file_build_id(&file);
   Bool is_wanted = has_debug_information(&file);
   if (wanted->build_id == NULL)
      is_wanted = is_wanted && checksum_of(&file) == wanted->checksum;
   else
      is_wanted =
         is_wanted && build_id != NULL && VG_(strcmp)(build_id, wanted->build_id) == 0;
   DwarfFile* found = is_wanted ? read_file(&file, path, True) : NULL;
   VG_(free)(build_id);
   elf_file_close(&file);
   return found;
}

static DwarfFile* read_by_build_id(const Wanted* wanted)
{
   if (wanted->build_id == NULL)
      return NULL;
   HChar first_byte[] = {wanted->build_id[0], wanted->build_id[1], '/', '\0'};
   HChar* folder = joined(DEBUG_FOLDER, "/.build-id/", first_byte);
   HChar* path = joined(folder, wanted->build_id + 2, ".debug");
   DwarfFile* found = read_separate(path, wanted);
   VG_(free)(path);
   VG_(free)(folder);
   return found;
}

/* `name` in the object's folder, below that, and elsewhere in a folder of this name.  */
static DwarfFile* read_by_name(const HChar* object, const HChar* name,
                               const Wanted* wanted)
{
   HChar* folder = folder_of(object);
   HChar* paths[] = {joined(folder, name, ""), joined(folder, ".debug/", name),
                     joined(DEBUG_FOLDER, folder, name),
                     joined(core_extra_debug_folder(), folder, name)};
   DwarfFile* found = NULL;
   for (UInt i = 0; i < sizeof paths / sizeof paths[0]; i++) {
      if (found == NULL)
         found = read_separate(paths[i], wanted);
      VG_(free)(paths[i]);
   }
   VG_(free)(folder);
   return found;
}

static DwarfFile* find_separate(const ElfFile* file, const HChar* path)
{
   Wanted wanted = {elf_file_build_id(file), 0};
   DwarfFile* found = read_by_build_id(&wanted);
   DwarfSection link = contents(file, section_of(file, ".gnu_debuglink"));
   /* A name, and four bytes at the next multiple of four.  */
   SizeT sum_at = link.size > 0 ? VG_ROUNDUP(VG_(strlen)((HChar*)link.bytes) + 1, 4) : 0;
   if (found == NULL && link.size <= MAX_LINK && sum_at + 4 <= link.size) {
      VG_(memcpy)(&wanted.checksum, link.bytes + sum_at, sizeof wanted.checksum);
      found = read_by_name(path, (HChar*)link.bytes, &wanted);
   }
   VG_(free)(link.bytes);
   VG_(free)(wanted.build_id);
   return found;
}

DwarfFile* debug_files_read(const HChar* path)
{
   ElfFile file;
   if (!elf_file_open(path, &file))
      return NULL;
   DwarfFile* found = has_debug_information(&file) ? read_file(&file, path, True)
                                                   : find_separate(&file, path);
   elf_file_close(&file);
   return found;
}
