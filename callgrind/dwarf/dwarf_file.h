/* SPDX-License-Identifier: GPL-2.0-or-later

   The debug information of one file, and its units: a unit is what the compiler made of
   one source file.  A unit is a tree of entries (DIEs), each with attributes.

   The sections are read by others (guest/debug_files.c), and may hold anything: a
   profiled program may map any file.  */

#ifndef CALLGRIND_DWARF_FILE_H
#define CALLGRIND_DWARF_FILE_H

#include "core_version.h"

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
   DWARF_SECTIONS
} DwarfSectionId;

/* With a NUL behind its last byte, so that each text in it ends.  */
typedef struct {
   UChar* bytes; /* NULL if the file has none */
   ULong size;
} DwarfSection;

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
   ULong start, end; /* in the section */
   ULong root;       /* where its first entry is */
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

/* Where code of a unit lies.  */
typedef struct {
   Addr start, end;
   UInt unit;
} UnitRange;

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

   DwarfUnit* units; /* by where they are */
   UInt n_units;
   UnitRange* ranges; /* by `start` */
   UInt n_ranges, ranges_room;
   VgHashTable* abbreviations; /* by offset */

   /* How many abbreviations and ranges may still be read.  What is sound has few of them
      more than once.  */
   ULong abbreviations_left, ranges_left;
} DwarfFile;

#endif
