/* SPDX-License-Identifier: GPL-2.0-or-later

   See debug_files.h.

   A separate file is the object's if it has the same build id, or, for an object without
   one, the checksum that stands in .gnu_debuglink.  What dwz has taken out of several
   files is in a further one (.gnu_debugaltlink).  */

#include "guest/debug_files.h"

#include "core/debug_options.h"
#include "dwarf/units.h"
#include "guest/elf/debug_sections.h"
#include "guest/elf/split_files.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#define DEBUG_FOLDER "/usr/lib/debug"
#define MAX_LINK 4096

#define LARGEST_OBJECT (256ULL << 20) /* with DebugInObject */

/* That may be read in this search.  */
static ULong largest_file;

static UInt n_read; /* objects */

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
   DwarfSection link = debug_sections_contents(file, ".gnu_debugaltlink");
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
   static const HChar* const names[DWARF_SECTIONS] = {
      "info", "abbrev", "str",      "line_str", "str_offsets",
      "addr", "ranges", "rnglists", "line",     "aranges"};
   DwarfSection sections[DWARF_SECTIONS];
   if (file->size > largest_file)
      return NULL;
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      sections[i] = i == SectionLine || i == SectionLineStr
                       ? debug_sections_read_shared(file, names[i])
                       : debug_sections_read(file, names[i]);
   return units_new_file(sections, has_alternate ? read_alternate(file, path) : NULL);
}

static Bool has_debug_information(const ElfFile* file)
{
   return debug_sections_has(file, ".debug_info") ||
          debug_sections_has(file, ".zdebug_info");
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

static Bool has_build_id(const ElfFile* file, const HChar* wanted)
{
   HChar* build_id = elf_file_build_id(file);
   Bool has = build_id != NULL && VG_(strcmp)(build_id, wanted) == 0;
   VG_(free)(build_id);
   return has;
}

/* Reads the file `path`, if that is the wanted one.  */
static DwarfFile* read_separate(const HChar* path, const Wanted* wanted)
{
   ElfFile file;
   if (!elf_file_open(path, &file))
      return NULL;
   Bool is_wanted = has_debug_information(&file) &&
                    (wanted->build_id == NULL ? checksum_of(&file) == wanted->checksum
                                              : has_build_id(&file, wanted->build_id));
   DwarfFile* found = is_wanted ? read_file(&file, path, True) : NULL;
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
   DwarfSection link = debug_sections_contents(file, ".gnu_debuglink");
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

DwarfFile* debug_files_read(const HChar* path, const HChar* build_id, DebugSearch search)
{
   ElfFile file;
   largest_file = search == DebugInObject ? LARGEST_OBJECT : ~0ULL;
   if (!elf_file_open(path, &file))
      return NULL;
   DwarfFile* found = NULL;
   if (build_id == NULL || has_build_id(&file, build_id))
      found = has_debug_information(&file) ? read_file(&file, path, True)
              : search == DebugAnywhere    ? find_separate(&file, path)
                                           : NULL;
   elf_file_close(&file);
   if (found != NULL) {
      split_files_attach(found, path);
      n_read++;
   }
   return found;
}

UInt debug_files_n_read(void) { return n_read; }

/*--------------------------------------------------------------------*/
/* Ahead                                                               */

/* What was read before it is asked for.  */
typedef struct {
   HChar* path;
   DwarfFile* debug; /* NULL: there is none */
} ReadAhead;

static XArray* read_ahead; /* of ReadAhead; NULL: nothing */

static const ReadAhead* find_read_ahead(const HChar* path)
{
   for (Word i = 0; read_ahead != NULL && i < VG_(sizeXA)(read_ahead); i++) {
      const ReadAhead* entry = VG_(indexXA)(read_ahead, i);
      if (VG_(strcmp)(entry->path, path) == 0)
         return entry;
   }
   return NULL;
}

void debug_files_read_ahead(const HChar* path, DebugSearch search)
{
   if (find_read_ahead(path) != NULL)
      return;
   const ReadAhead entry = {VG_(strdup)("debug_files.path", path),
                            debug_files_read(path, NULL, search)};
   if (read_ahead == NULL)
      read_ahead = VG_(newXA)(VG_(malloc), "debug_files.ahead", VG_(free), sizeof entry);
   VG_(addToXA)(read_ahead, &entry);
}

DwarfFile* debug_files_of(Object* object, DebugSearch search)
{
   if (!object->debug_is_read) {
      const ReadAhead* ahead = find_read_ahead(object->path);
      object->debug_is_read = True;
      object->debug = ahead != NULL
                         ? ahead->debug
                         : debug_files_read(object->path, object->build_id, search);
   }
   return object->debug;
}
