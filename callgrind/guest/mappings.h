/* SPDX-License-Identifier: GPL-2.0-or-later

   Where in memory the code of an object was mapped.  A mapping that is gone stays in the
   list, because costs may have come from there.  */

#ifndef CALLGRIND_MAPPINGS_H
#define CALLGRIND_MAPPINGS_H

#include "core_version.h"

typedef struct Mapping {
   struct Mapping* next; /* of the same object, in order of first appearance */
   Addr start;
   SizeT size;   /* in bytes */
   ULong offset; /* of its first byte in the object's file */
} Mapping;

/* Adds a mapping to the list that begins at `*first`.  If it overlaps with one in the
   list, or touches it, as after an mprotect() of a part, and maps the same bytes there,
   that one is extended.  Nothing is ever removed.  */
void mappings_note(Mapping** first, Addr start, SizeT size, ULong offset);

#endif
