/* SPDX-License-Identifier: GPL-2.0-or-later

   Source lines that are read without the core, and only those that are asked for
   (dwarf/line_table.h).  */

#ifndef CALLGRIND_OWN_LINES_H
#define CALLGRIND_OWN_LINES_H

#include "guest/symbols.h"

typedef struct OwnLines OwnLines;

/* The lines of an object's code from `start` to `end`, as its file numbers it.  The first
   path is the object's; the others are of files with debug information, one of which may
   belong to it.  NULL if the core must read them.  */
OwnLines* own_lines_read(const HChar* const* paths, UInt n_paths, Addr start, Addr end);
void own_lines_free(OwnLines* lines);

/* The line of an address; no file and line 0 if it has none.  False if the core must be
   asked.  */
Bool own_lines_find(OwnLines* lines, Addr address, SourceLine* line);

#endif
