/* SPDX-License-Identifier: GPL-2.0-or-later

   What a function is called, and where it is defined.  */

#ifndef CALLGRIND_DWARF_FUNCTION_NAMES_H
#define CALLGRIND_DWARF_FUNCTION_NAMES_H

#include "dwarf/dwarf_file.h"

typedef struct {
   const HChar* linkage; /* its name for the linker; NULL: not known */
   HChar* name;          /* with all scopes that it is in; NULL: it has none; owned */
   const HChar* path;    /* of its source file; NULL: not known */
   UInt line;            /* of its definition; 0: not known */
} FunctionDescription;

/* Where a function is defined, as above.  */
typedef struct {
   const HChar* path;
   UInt line;
} FunctionPlace;

FunctionPlace function_names_place(DwarfFile* file, ULong offset);

/* Describes the function of the entry at `offset`.  The caller frees the name.  */
FunctionDescription function_names_describe(DwarfFile* file, ULong offset);

#endif
