/* SPDX-License-Identifier: GPL-2.0-or-later

   The source files of a unit, by the numbers that its entries use (.debug_line).  */

#ifndef CALLGRIND_DWARF_SOURCE_NAMES_H
#define CALLGRIND_DWARF_SOURCE_NAMES_H

#include "dwarf/dwarf_file.h"

/* The path of the file with this number; NULL if it is not known.  It lives as long as
   the unit.  */
const HChar* source_names_path(DwarfUnit* unit, ULong number);

#endif
