/* SPDX-License-Identifier: GPL-2.0-or-later

   See section.h.  What is packed is kept until all of it has been unpacked.  Copies of a
   section share it.  */

#include "dwarf/section.h"

#include "inflate/inflate.h"

#include "pub_tool_mallocfree.h"

typedef struct Packed {
   UInt n_users;     /* sections that share it */
   UChar* bytes;     /* NULL: all has been unpacked */
   Inflate* inflate; /* NULL likewise */
   ULong n_there;    /* how many bytes have been unpacked */
} Packed;

static void free_packed(Packed* packed)
{
   if (packed->inflate != NULL)
      inflate_end(packed->inflate);
   VG_(free)(packed->bytes);
   packed->inflate = NULL;
   packed->bytes = NULL;
}

DwarfSection section_packed(UChar* packed, SizeT begin, SizeT packed_size, ULong size)
{
   DwarfSection section = {VG_(malloc)("dwarf.section", size + 1), size,
                           VG_(malloc)("dwarf.packed", sizeof(Packed))};
   section.bytes[size] = '\0';
   *section.packed = (Packed){
      1, packed, inflate_begin(packed + begin, packed_size - begin, section.bytes, size),
      0};
   return section;
}

/* Unpacks a little more than what is asked for, so that the way here is not taken for
   each few bytes.  */
#define STEP 4096

Bool section_reach(const DwarfSection* section, ULong end)
{
   Packed* packed = section->packed;
   if (end > section->size)
      end = section->size;
   if (packed == NULL || packed->n_there >= end)
      return True;
   if (packed->inflate != NULL) {
      packed->n_there = inflate_up_to(packed->inflate, end + STEP);
      if (packed->n_there == section->size)
         free_packed(packed);
   }
   return packed->n_there >= end;
}

void section_unpack(DwarfSection* section)
{
   if (!section_reach(section, section->size))
      section->size = 0;
}

DwarfSection section_share(const DwarfSection* section)
{
   section->packed->n_users++;
   return *section;
}

void section_free(DwarfSection* section)
{
   if (section->packed == NULL || --section->packed->n_users == 0) {
      if (section->packed != NULL)
         free_packed(section->packed);
      VG_(free)(section->packed);
      VG_(free)(section->bytes);
   }
   *section = (DwarfSection){NULL, 0, NULL};
}
