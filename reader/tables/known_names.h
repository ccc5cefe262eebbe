/* SPDX-License-Identifier: GPL-2.0-or-later

   The numbers by which a file calls its names, of one kind: objects, files or functions.
   `(12) name` gives a name the number 12, and `(12)` stands for it afterwards.  */

#ifndef READER_KNOWN_NAMES_H
#define READER_KNOWN_NAMES_H

#include "base/numbering.h"
#include "tables/names.h"

typedef struct {
   Numbering numbers;
   uint32_t* names; /* by the number's number */
   size_t capacity;
} KnownNames;

/* The name that the text from `start` to `end` stands for: `(12)`, `(12) name` or `name`.
   None at all is NAME_UNKNOWN.  */
uint32_t known_name(KnownNames* known, Names* names, const char* start, const char* end);

#endif
