/* SPDX-License-Identifier: GPL-2.0-or-later

   Finds an object's debug information, and reads its sections.  It may lie in the object,
   or in a separate file, which is looked for where the core looks:

      /usr/lib/debug/.build-id/31/c6...2.debug    by the object's build id
      FOLDER/NAME, FOLDER/.debug/NAME,            by the name in .gnu_debuglink
      /usr/lib/debug/FOLDER/NAME

   and below the folder of --extra-debuginfo-path, as EXTRA/FOLDER/NAME.  */

#ifndef CALLGRIND_DEBUG_FILES_H
#define CALLGRIND_DEBUG_FILES_H

#include "dwarf/dwarf_file.h"
#include "guest/symbols.h"

/* The debug information of the object with the file `path`; NULL if it has none, or none
   that can be read.  It lives as long as the process.  If a build id is given, it is read
   from a file with that one alone: another may have taken its place.  Not from a file of
   more bytes than `largest`, as it takes as much memory; with such a limit not from a
   separate file either.  Those of distributions are compressed, and that of the C library
   alone takes a tenth of a second.  */
DwarfFile* debug_files_read(const HChar* path, const HChar* build_id, ULong largest);

#define DEBUG_FILES_ANY_SIZE (~0ULL)

/* That of an object, read when it is asked for first.  */
DwarfFile* debug_files_of(Object* object, ULong largest);

#endif
