/* SPDX-License-Identifier: GPL-2.0-or-later

   How many bytes a value takes, by its form.  */

#ifndef CALLGRIND_FORM_SIZE_H
#define CALLGRIND_FORM_SIZE_H

#include "dwarf/constants.h"

/* So many bytes, and so many addresses and offsets of the unit's sizes.  The sum of
   several is that of their values.  */
typedef struct {
   UInt bytes, addresses, offsets;
   Bool varies; /* the value itself says how long it is, or the version does */
} FormSize;

static inline FormSize form_size(UInt form)
{
   switch (form) {
   case FormImplicitConst:
   case FormFlagPresent: return (FormSize){0, 0, 0, False};
   case FormData1:
   case FormFlag:
   case FormRef1:
   case FormStrx1:
   case FormAddrx1: return (FormSize){1, 0, 0, False};
   case FormData2:
   case FormRef2:
   case FormStrx2:
   case FormAddrx2: return (FormSize){2, 0, 0, False};
   case FormStrx3:
   case FormAddrx3: return (FormSize){3, 0, 0, False};
   case FormData4:
   case FormRef4:
   case FormRefSup4:
   case FormStrx4:
   case FormAddrx4: return (FormSize){4, 0, 0, False};
   case FormData8:
   case FormRef8:
   case FormRefSig8:
   case FormRefSup8: return (FormSize){8, 0, 0, False};
   case FormData16: return (FormSize){16, 0, 0, False};
   case FormAddr: return (FormSize){0, 1, 0, False};
   case FormStrp:
   case FormLineStrp:
   case FormStrpSup:
   case FormSecOffset:
   case FormGnuRefAlt:
   case FormGnuStrpAlt: return (FormSize){0, 0, 1, False};
   default: return (FormSize){0, 0, 0, True};
   }
}

static inline FormSize form_size_sum(FormSize a, FormSize b)
{
   return (FormSize){a.bytes + b.bytes, a.addresses + b.addresses, a.offsets + b.offsets,
                     a.varies || b.varies};
}

#endif
