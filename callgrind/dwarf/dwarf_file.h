/* SPDX-License-Identifier: GPL-2.0-or-later

   The debug information of one file, and its units: a unit is what the compiler made of
   one source file.  A unit is a tree of entries (DIEs), each with attributes.

   The sections are read by others (guest/debug_files.c), and may hold anything: a
   profiled program may map any file.  */

#ifndef CALLGRIND_DWARF_FILE_H
#define CALLGRIND_DWARF_FILE_H

#include "dwarf/section.h"

#include "pub_tool_hashtable.h"

typedef enum {
   SectionInfo,
   SectionAbbrev,
   SectionStr,
   SectionLineStr,
   SectionStrOffsets,
   SectionAddr,
   SectionRanges,
   SectionRnglists,
   SectionLine,
   SectionAranges,
   DWARF_SECTIONS
} DwarfSectionId;

/* The sections of a file with split units.  Of a package, which has those of many, the
   index says which parts belong to a unit; of another file it has no bytes.  */
typedef struct {
   DwarfSection sections[DWARF_SECTIONS];
   DwarfSection index;
} SplitSections;

struct Abbreviations;
struct DwarfFile;
struct InlinedCalls;
struct Scopes;
struct SourceNames;

typedef struct DwarfUnit {
   struct DwarfFile* file;
   ULong start, end; /* in the section; all of it is there */
   ULong root;       /* where its first entry is */
   Bool root_is_read;
   UInt version;
   UInt address_size, offset_size;
   struct Abbreviations* abbreviations;

   /* By its first entry.  */
   Addr base; /* that ranges are relative to */
   ULong str_offsets, addresses, range_lists;
   ULong lines; /* where its source files are named */
   Bool has_lines;
   const HChar* folder; /* in which it was compiled; NULL: not known */

   /* Of a unit of two parts (-gsplit-dwarf): both have this id.  The first one, its
      skeleton, knows the name of the file with the other one.  */
   ULong id;
   const HChar* split_name; /* NULL if it has only one */
   ULong old_ranges;        /* up to version 4, where the other part's ranges begin */
   struct DwarfUnit* full;  /* the other part; NULL: not found, or not sought */
   Bool full_is_sought;

   /* Each made when it is asked for.  */
   struct InlinedCalls* inlined_calls;
   struct Scopes* scopes;
   struct SourceNames* source_names;
} DwarfUnit;

struct UnitRanges;

typedef struct DwarfFile {
   DwarfSection sections[DWARF_SECTIONS];
   struct DwarfFile* alternate; /* what dwz has moved to another file; or NULL */
   DwarfUnit* skeleton;         /* if this file has its other part; or NULL */

   /* Reads the sections that the other part of a unit may be in: of the place with this
      number, from 0 on.  False if there are no more.  May be NULL.  */
   Bool (*read_split)(struct DwarfFile* file, const DwarfUnit* unit, UInt place,
                      SplitSections* found);
   struct SplitPlaces* split_places; /* of the reader */
   ULong split_left;                 /* how many bytes it may still read */

   DwarfUnit** units; /* those that were found so far, by where they are */
   UInt n_units, units_room;
   ULong next_unit;               /* where they go on; ~0: there are no more */
   struct UnitRanges* said;       /* code of units, as a section says; NULL: not read */
   struct UnitRanges* by_entries; /* as the entries say; NULL likewise */
   VgHashTable* abbreviations;    /* by offset */

   /* How many abbreviations and ranges may still be read.  What is sound has few of them
      more than once.  */
   ULong abbreviations_left, ranges_left;
} DwarfFile;

/* A section with all of its bytes.  */
static inline const DwarfSection* dwarf_file_section(DwarfFile* file, DwarfSectionId id)
{
   section_unpack(&file->sections[id]);
   return &file->sections[id];
}

#endif
