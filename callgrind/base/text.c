/* SPDX-License-Identifier: GPL-2.0-or-later

   See text.h.  */

#include "base/text.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

HChar* text_join(const HChar* heap_name, const HChar* left, const HChar* between,
                 const HChar* right)
{
   SizeT size = VG_(strlen)(left) + VG_(strlen)(between) + VG_(strlen)(right) + 1;
   HChar* text = VG_(malloc)(heap_name, size);
   VG_(strcpy)(text, left);
   VG_(strcat)(text, between);
   VG_(strcat)(text, right);
   return text;
}
