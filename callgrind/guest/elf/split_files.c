/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns an object's package; see split_files.h.  That is read once, and other files when a
   unit of theirs is sought.  */

#include "guest/elf/split_files.h"

#include "guest/elf/debug_sections.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* Of one object, so much of packages and other files.  */
#define MOST_BYTES (1ULL << 31)

typedef struct SplitPlaces {
   HChar* object;
   Bool package_is_read;
   SplitSections package; /* without an index if there is none */
} SplitPlaces;

/* What there is of sections with split units.  */
static void read_sections(const HChar* path, SplitSections* found)
{
   static const HChar* const names[DWARF_SECTIONS] = {[SectionInfo] = "info.dwo",
                                                      [SectionAbbrev] = "abbrev.dwo",
                                                      [SectionStr] = "str.dwo",
                                                      [SectionStrOffsets] =
                                                         "str_offsets.dwo",
                                                      [SectionRnglists] = "rnglists.dwo"};
   ElfFile file;
   VG_(memset)(found, 0, sizeof *found);
   if (!elf_file_open(path, &file))
      return;
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      if (names[i] != NULL) {
         found->sections[i] = debug_sections_read(&file, names[i]);
         section_unpack(&found->sections[i]);
      }
   found->index = debug_sections_read(&file, "cu_index");
   section_unpack(&found->index);
   elf_file_close(&file);
}

static HChar* new_path(const HChar* folder, SizeT folder_length, const HChar* name)
{
   SizeT size = folder_length + VG_(strlen)(name) + 1;
   HChar* path = VG_(malloc)("split_files.path", size);
   VG_(memcpy)(path, folder, folder_length);
   VG_(strcpy)(path + folder_length, name);
   return path;
}

static const SplitSections* package_of(SplitPlaces* places)
{
   if (!places->package_is_read) {
      HChar* path = new_path(places->object, VG_(strlen)(places->object), ".dwp");
      read_sections(path, &places->package);
      VG_(free)(path);
      places->package_is_read = True;
   }
   return &places->package;
}

/* Where a unit's own file may be: the place with this number, from 1 on.  NULL behind the
   last one; the caller frees it.  */
static HChar* path_of(const SplitPlaces* places, const DwarfUnit* unit, UInt place)
{
   const HChar* name = unit->split_name;
   const HChar* slash = VG_(strrchr)(places->object, '/');
   SizeT length = slash != NULL ? (SizeT)(slash + 1 - places->object) : 0;
   switch (place) {
   case 1: {
      if (name[0] == '/' || unit->folder == NULL)
         return new_path("", 0, name);
      HChar* folder = new_path(unit->folder, VG_(strlen)(unit->folder), "/");
      HChar* path = new_path(folder, VG_(strlen)(folder), name);
      VG_(free)(folder);
      return path;
   }
   case 2: return new_path(places->object, length, name[0] == '/' ? name + 1 : name);
   case 3: {
      const HChar* last = VG_(strrchr)(name, '/');
      return new_path(places->object, length, last != NULL ? last + 1 : name);
   }
   default: return NULL;
   }
}

static Bool read_split(DwarfFile* file, const DwarfUnit* unit, UInt place,
                       SplitSections* found)
{
   SplitPlaces* places = file->split_places;
   if (place == 0) {
      *found = *package_of(places);
      if (found->index.size == 0) /* it is no package */
         VG_(memset)(found, 0, sizeof *found);
      return True;
   }
   HChar* path = path_of(places, unit, place);
   if (path == NULL)
      return False;
   read_sections(path, found);
   if (found->index.size > 0) { /* a package by another name would not be kept */
      section_free(&found->index);
   }
   VG_(free)(path);
   return True;
}

void split_files_attach(DwarfFile* file, const HChar* object)
{
   file->split_places = VG_(calloc)("split_files.places", 1, sizeof(SplitPlaces));
   file->split_places->object = VG_(strdup)("split_files.object", object);
   file->read_split = read_split;
   file->split_left = MOST_BYTES;
}
