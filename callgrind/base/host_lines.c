/* SPDX-License-Identifier: GPL-2.0-or-later

   Records in lines of the host's cache; see host_lines.h.  They are cut from pieces of
   memory, since the core's allocator aligns to 16 bytes at most.  */

#include "base/host_lines.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define PIECE 0x10000

static HChar* next;
static SizeT room;

void* host_lines_make(SizeT size)
{
   SizeT lines = VG_ROUNDUP(size, HOST_LINE);
   tl_assert(lines <= PIECE / 4);
   if (lines > room) {
      HChar* piece = VG_(malloc)("cg.host_lines", PIECE + HOST_LINE);
      next = (HChar*)VG_ROUNDUP((UWord)piece, HOST_LINE);
      room = PIECE;
   }
   void* record = next;
   next += lines;
   room -= lines;
   return VG_(memset)(record, 0, size);
}
