/* SPDX-License-Identifier: GPL-2.0-or-later

   What all parts of a profile share: names, and what is made of several of them.  A key
   is a function: object, file and name.  A source is where costs belong: a file, and a
   function that was inlined, or NAME_NONE.  */

#ifndef READER_FILE_H
#define READER_FILE_H

#include "base/numbering.h"
#include "tables/known_names.h"
#include "tables/names.h"

typedef struct {
   Names names;
   KnownNames objects, files, functions;
   Numbering keys;    /* object, file; name */
   Numbering sources; /* file, inlined */
} File;

void file_start(File* file);

uint32_t file_key(File* file, uint32_t object, uint32_t source_file, uint32_t name);

uint32_t file_source(File* file, uint32_t source_file, uint32_t inlined);

#endif
