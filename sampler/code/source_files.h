/* SPDX-License-Identifier: GPL-2.0-or-later

   The source files of a compilation unit, from the header of its line table.  The lines
   themselves, which are most of that table, are not read.  */

#ifndef SAMPLER_SOURCE_FILES_H
#define SAMPLER_SOURCE_FILES_H

#include <elfutils/libdw.h>
#include <stddef.h>

typedef struct SourceFiles SourceFiles;

/* The list of `unit`, a compilation unit's DIE.  Never NULL: what cannot be read has no
   files.  The list is the caller's, and lives no longer than the unit's Dwarf.  */
SourceFiles* source_files_read(Dwarf_Die* unit);

/* The path of file `number`, as attributes of DIEs count; NULL if there is none.  The text
   lives as long as the list.  */
const char* source_files_path(SourceFiles* files, uint64_t number);

void source_files_free(SourceFiles* files);

#endif
