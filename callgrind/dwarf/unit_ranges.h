/* SPDX-License-Identifier: GPL-2.0-or-later

   Where the code of units lies: ranges of addresses, each with a number that stands for
   its unit.  */

#ifndef CALLGRIND_UNIT_RANGES_H
#define CALLGRIND_UNIT_RANGES_H

#include "dwarf/dwarf_file.h"

typedef struct UnitRanges UnitRanges;

#define UNIT_RANGES_NONE (~0ULL)

/* Without any; it lives as long as the process.  */
UnitRanges* unit_ranges_new(void);

/* Adds [start, end).  unit_ranges_sort() must follow before something is looked for.  */
void unit_ranges_add(UnitRanges* ranges, Addr start, Addr end, ULong unit);
void unit_ranges_sort(UnitRanges* ranges);

/* Those that the file tells of in a section of its own, .debug_aranges.  Their numbers
   are where the units begin.  Compilers may leave it out, for some units or all.  */
UnitRanges* unit_ranges_read(DwarfFile* file);

/* The number of the unit at `address`; UNIT_RANGES_NONE if there is none.  */
ULong unit_ranges_find(const UnitRanges* ranges, Addr address);

#endif
