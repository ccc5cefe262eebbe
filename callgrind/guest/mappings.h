/* SPDX-License-Identifier: GPL-2.0-or-later

   Where in memory the code of objects was mapped, in this process.  What is mapped no
   longer stays known: costs may come from there.  */

#ifndef CALLGRIND_MAPPINGS_H
#define CALLGRIND_MAPPINGS_H

#include "core_version.h"

typedef struct Mapping {
   struct Mapping* next; /* of the same object, in order of first appearance */
   Addr start;
   SizeT size;   /* in bytes */
   ULong offset; /* of its first byte in the object's file */
} Mapping;

/* Adds a mapping to the list that begins at `*first`, unless it is there.  One that holds
   another, or goes on where it ends, as after an mprotect() of a part, takes its place.
   The list stays to the end of the run.  */
void mappings_note(Mapping** first, Addr start, SizeT size, ULong offset);

#endif
