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

/* Where debug information is searched.  Reading it takes as much memory as its file has
   bytes.  Separate files of distributions are compressed besides: that of the C library
   alone takes a tenth of a second.  So what could be done without searches less.  */
typedef enum {
   DebugInObject, /* in the object's own file, unless that has more than 256 MB */
   DebugAnywhere  /* in separate files, too, and in files of any size */
} DebugSearch;

/* The debug information of the object with the file `path`; NULL if it has none there, or
   none that can be read.  It lives as long as the process.  If a build id is given, it is
   read from a file with that one alone: another may have taken its place.  */
DwarfFile* debug_files_read(const HChar* path, const HChar* build_id, DebugSearch search);

/* Reads what debug_files_of() will be asked for later, of an object that nobody knows so
   far, when its files may be out of reach.  */
void debug_files_read_ahead(const HChar* path, DebugSearch search);

/* The debug information of how many objects has been read.  */
UInt debug_files_n_read(void);

/* That of an object, read when it is asked for first.  What that search finds stays.  */
DwarfFile* debug_files_of(Object* object, DebugSearch search);

#endif
