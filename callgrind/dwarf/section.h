/* SPDX-License-Identifier: GPL-2.0-or-later

   A section with debug information.  It may be packed; then it is unpacked when somebody
   wants to read it, and no farther.  */

#ifndef CALLGRIND_SECTION_H
#define CALLGRIND_SECTION_H

#include "core_version.h"

struct Packed;

typedef struct {
   /* With a NUL behind the last one, so that each text ends; NULL if there are none.
      What was not asked for by section_reach() may not be there yet.  */
   UChar* bytes;
   ULong size;
   struct Packed* packed; /* NULL: all bytes are there */
} DwarfSection;

/* The section of `size` bytes that zlib has packed to those at `packed` + `begin`, of
   `packed_size` altogether, which it owns from now on.  */
DwarfSection section_packed(UChar* packed, SizeT begin, SizeT packed_size, ULong size);

/* Sees to it that the first `end` bytes are there, or all, if there are no more.  False
   if they cannot be read.  */
Bool section_reach(const DwarfSection* section, ULong end);

/* Sees to it that all bytes are there; a section that cannot be read has none
   then.  */
void section_unpack(DwarfSection* section);

/* A copy of a packed section.  What one of them unpacks, all have; the last one that is
   freed takes it along.  */
DwarfSection section_share(const DwarfSection* section);

/* To be called once for each section and copy.  */
void section_free(DwarfSection* section);

#endif
