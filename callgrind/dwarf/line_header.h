/* SPDX-License-Identifier: GPL-2.0-or-later

   The header of a unit's line table (.debug_line): how the lines are encoded, and the
   folders and files that they are in.  Of versions 2 to 5.  */

#ifndef CALLGRIND_DWARF_LINE_HEADER_H
#define CALLGRIND_DWARF_LINE_HEADER_H

#include "base/cursor.h"
#include "dwarf/dwarf_file.h"

#include "pub_tool_xarray.h"

typedef struct {
   DwarfUnit sizes;      /* a unit that has the version and the sizes of this table */
   ULong program;        /* where the lines begin */
   ULong end;            /* of the table */
   UInt least_length;    /* of an instruction */
   UInt most_operations; /* in an instruction */
   Int line_base;
   UInt line_range, first_special;
   const UChar* n_operands; /* by code, from 1 on */
   Cursor lists;            /* where folders and files begin */
} LineHeader;

typedef struct {
   const HChar* name; /* NULL: not known, or one that is not there */
   ULong folder;      /* its number */
} LineFile;

/* By number.  Up to version 4 folder 0 is "", the one that the unit was compiled in, and
   there is no file 0.  */
typedef struct {
   XArray* folders; /* of const HChar*, which live as long as the sections */
   XArray* files;   /* of LineFile */
   Bool failed;     /* the lists are not complete */
} LineNames;

/* Reads the header at `offset` of the file's SectionLine.  False if it is not sound.  In
   either case `end` is where the next table begins; 0: that is not known.  */
Bool line_header_read(DwarfFile* file, ULong offset, LineHeader* header);

/* Reads the lists.  */
LineNames line_header_names(LineHeader* header);
void line_header_free_names(LineNames* names);

/* `name` in `folder`; in none if that is NULL or "".  The caller frees it.  */
HChar* line_header_join(const HChar* folder, const HChar* name);

#endif
