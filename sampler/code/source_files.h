/* SPDX-License-Identifier: GPL-2.0-or-later

   The source files of a compilation unit, from the header of its line table.  The rest of
   that table, by far the largest part, is not read.  */

#ifndef SAMPLER_SOURCE_FILES_H
#define SAMPLER_SOURCE_FILES_H

#include <elfutils/libdw.h>
#include <stddef.h>

typedef struct SourceFiles SourceFiles;

/* The list of a compilation unit, given by its DIE.  Empty if it cannot be read, never
   NULL. The caller frees it, before the unit's Dwarf ends.  */
SourceFiles* source_files_read(Dwarf_Die* unit);

/* The path of file `number`, as in attributes of DIEs; NULL if there is none.  The text
   lives as long as the list.  */
const char* source_files_path(SourceFiles* files, uint64_t number);

void source_files_free(SourceFiles* files);

#endif
