/* SPDX-License-Identifier: GPL-2.0-or-later

   The addresses of an entry's code.  */

#ifndef CALLGRIND_DWARF_RANGES_H
#define CALLGRIND_DWARF_RANGES_H

#include "dwarf/die.h"

/* The attributes of an entry that say so.  */
typedef struct {
   DieValue low, high, list;
} RangeValues;

/* Keeps an attribute's value, if it is one of these.  */
void ranges_note(RangeValues* values, UInt attribute, DieValue value);

/* Calls `add` for each range [start, end); none is empty or begins at 0, where the linker
   leaves code that it has thrown away.  */
void ranges_of(DwarfUnit* unit, const RangeValues* values,
               void (*add)(void* to, Addr start, Addr end), void* to);

#endif
