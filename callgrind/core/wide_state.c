/* SPDX-License-Identifier: GPL-2.0-or-later

   See wide_state.h.  The core's functions for tools that use the areas are asked.  */

#include "core/wide_state.h"

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* The first byte of area number `area`, 1 or 2, is at `at`.  */
static Bool is_at(Int area, UChar* at)
{
   const ThreadId thread = VG_(get_running_tid)();
   UChar seen;
   const UChar before = *at;
   Bool is_same = True;
   for (UInt i = 1; i <= 2; i++) {
      *at = (UChar)(before + i);
      VG_(get_shadow_regs_area)(thread, &seen, area, 0, sizeof seen);
      is_same &= seen == *at;
   }
   *at = before;
   return is_same;
}

Bool core_wide_state_is_there(UChar* guest)
{
   const SizeT size = sizeof(VexGuestAMD64State);
   return is_at(1, guest + size) && is_at(2, guest + 2 * size);
}

#endif
