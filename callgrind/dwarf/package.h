/* SPDX-License-Identifier: GPL-2.0-or-later

   The index of a package (.dwp): which part of each section belongs to a unit.  */

#ifndef CALLGRIND_DWARF_PACKAGE_H
#define CALLGRIND_DWARF_PACKAGE_H

#include "dwarf/dwarf_file.h"

/* Leaves of the package's sections only what belongs to the unit with this id.  Texts are
   all units'.  False if the package does not have it.  */
Bool package_narrow(SplitSections* package, ULong id);

#endif
