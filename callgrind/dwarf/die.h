/* SPDX-License-Identifier: GPL-2.0-or-later

   Entries of the debug information (DIEs) and their attributes.  */

#ifndef CALLGRIND_DWARF_DIE_H
#define CALLGRIND_DWARF_DIE_H

#include "base/cursor.h"
#include "dwarf/abbreviations.h"
#include "dwarf/constants.h"
#include "dwarf/dwarf_file.h"

typedef struct {
   DwarfUnit* unit;
   ULong offset; /* in the section */
   Abbreviation abbreviation;
   ULong attributes; /* where they begin */
} Die;

/* Reads the entry at `offset`, which is one of the unit.  False if there is none.  */
Bool die_read(DwarfUnit* unit, ULong offset, Die* die);

/* The value of an attribute.  What it means depends on the unit, which may not be known
   before all attributes of its first entry are read.  */
typedef struct {
   UInt form; /* 0: there is none */
   ULong number;
   const HChar* text; /* of a FormString */
} DieValue;

/* Reads a value of this form.  An unknown one makes the cursor fail.  */
DieValue die_read_value(const DwarfUnit* unit, Cursor* at, UInt form, Long constant);

/* The attributes of an entry, one after the other.  */
typedef struct {
   const DwarfUnit* unit;
   Cursor at;
   UInt form, end_form;
   UInt attribute;
   DieValue value;
} DieAttributes;

DieAttributes die_attributes(const Die* die);

/* Goes to the next one; False if there is none.  Then `at` is behind the entry, or has
   failed.  */
Bool die_next_attribute(DieAttributes* attributes);

/* What a value means.  The text lives as long as the file; NULL if it has none.  */
const HChar* die_text(const DwarfUnit* unit, DieValue value);
Bool die_address(const DwarfUnit* unit, DieValue value, Addr* address);
Bool die_number(DieValue value, ULong* number); /* also an offset into a section */

/* The entry that it refers to: where, and in which file.  False if that is none.  */
Bool die_reference(const DwarfUnit* unit, DieValue value, DwarfFile** file,
                   ULong* offset);

/* An address by its number in the unit's list of addresses.  */
Bool die_indexed_address(const DwarfUnit* unit, ULong index, Addr* address);

/* All entries of a unit, parents before their children.  */
typedef struct {
   DwarfUnit* unit;
   ULong next;
   UInt depth; /* of the next one; 0 for the first entry of the unit */
   Bool has_ended, failed;
} DieWalk;

/* Entries that are nested deeper are not walked.  */
#define DIE_DEEPEST 1024

DieWalk die_walk(DwarfUnit* unit);

/* Goes to the next one, which is so deep; False if there is none.  */
Bool die_walk_next(DieWalk* walk, Die* die, UInt* depth);

#endif
