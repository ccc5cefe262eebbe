/* SPDX-License-Identifier: GPL-2.0-or-later

   The units of a file's debug information.  */

#ifndef CALLGRIND_DWARF_UNITS_H
#define CALLGRIND_DWARF_UNITS_H

#include "dwarf/dwarf_file.h"

/* A file of these sections, which it owns from now on; it lives as long as the process.
   So does `alternate`, where dwz has put what several files share; it may be
   NULL.  */
DwarfFile* units_new_file(const DwarfSection sections[DWARF_SECTIONS],
                          DwarfFile* alternate);

/* The other part of `skeleton`, which has all addresses and source files; NULL if these
   sections do not have it, which then are the caller's.  Other units are passed over.  */
DwarfUnit* units_new_split_unit(const DwarfSection sections[DWARF_SECTIONS],
                                DwarfUnit* skeleton);

/* The unit whose code is at `address`, as the file numbers it; NULL if there is none.  */
DwarfUnit* units_at_address(DwarfFile* file, Addr address);

/* Has the unit of the code at `address` two parts (split_units.h)?  */
Bool units_is_split(DwarfFile* file, Addr address);

/* The unit of the entry at `offset`; NULL if there is none.  */
DwarfUnit* units_at_offset(DwarfFile* file, ULong offset);

#endif
