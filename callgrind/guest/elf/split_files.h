/* SPDX-License-Identifier: GPL-2.0-or-later

   The files with the other parts of split units (dwarf/split_units.h).  They are looked
   for here:

      OBJECT.dwp                    a package, beside the object
      NAME                          as the skeleton has it, in the folder in which the
                                    unit was compiled
      FOLDER/NAME, FOLDER/BASENAME  in the object's folder

   A file of another build has other ids.  */

#ifndef CALLGRIND_SPLIT_FILES_H
#define CALLGRIND_SPLIT_FILES_H

#include "dwarf/dwarf_file.h"

/* Has the file's split units read from beside the object with this path.  */
void split_files_attach(DwarfFile* file, const HChar* object);

#endif
