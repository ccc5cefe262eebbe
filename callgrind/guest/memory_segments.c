/* SPDX-License-Identifier: GPL-2.0-or-later

   See memory_segments.h.  */

#include "guest/memory_segments.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_mallocfree.h"

Int memory_segments(UInt kinds, Addr** starts)
{
   Int n, room = 128;
   *starts = NULL;
   do {
      room *= 2;
      *starts =
         VG_(realloc)("memory_segments.starts", *starts, (SizeT)room * sizeof **starts);
      n = VG_(am_get_segment_starts)(kinds, *starts, room);
   } while (n < 0);
   return n;
}
