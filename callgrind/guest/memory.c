/* SPDX-License-Identifier: GPL-2.0-or-later

   Readable memory; see memory.h.  The kernel writes a byte of it into a pipe, or refuses
   to.  Where there is no pipe, the core is believed.  */

#include "guest/memory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"

Bool guest_memory_can_read(Addr address)
{
   Int ends[2];
   if (!VG_(am_is_valid_for_client)(address, sizeof(Addr), VKI_PROT_READ))
      return False;
   if (VG_(pipe)(ends) != 0)
      return True;
   Bool can_read = VG_(write)(ends[1], (const void*)address, 1) == 1;
   VG_(close)(ends[0]);
   VG_(close)(ends[1]);
   return can_read;
}
