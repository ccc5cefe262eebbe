/* SPDX-License-Identifier: GPL-2.0-or-later

   See random_bytes.h.  A Weyl sequence whose members are mixed by multiplication; the
   constants are those of SplitMix64, which is in the public domain.  */

#include "surroundings/random_bytes.h"

static ULong next(void)
{
   static ULong state;
   state += 0x9e3779b97f4a7c15ULL;
   ULong mixed = state;
   mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
   mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
   return mixed ^ mixed >> 31;
}

void random_bytes_fill(UChar* bytes, SizeT size)
{
   ULong left = 0;
   for (SizeT i = 0; i < size; i++) {
      if (i % 8 == 0)
         left = next();
      bytes[i] = (UChar)left;
      left >>= 8;
   }
}
