/* SPDX-License-Identifier: GPL-2.0-or-later

   Units of two parts (-gsplit-dwarf): a skeleton in the program has what the linker had
   to know; the other part has the entries.  It lies in a file of its own (.dwo), or in a
   package of many (.dwp).  */

#ifndef CALLGRIND_DWARF_SPLIT_UNITS_H
#define CALLGRIND_DWARF_SPLIT_UNITS_H

#include "dwarf/dwarf_file.h"

/* The other part of a skeleton, sought when it is asked for first; NULL if the unit has
   none, or it cannot be found.  */
DwarfUnit* split_units_full(DwarfUnit* unit);

#endif
