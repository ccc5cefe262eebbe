/* SPDX-License-Identifier: GPL-2.0-or-later

   See wide_state.h.  The core's functions for tools that use the areas are asked.  */

#include "core/wide_state.h"

#if defined(VGA_amd64)

static void ask_processor(UInt leaf, UInt answer[4])
{
   __asm__("cpuid"
           : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
           : "a"(leaf), "c"(0));
}

/* Has the system enabled all of these components of the state?  */
static Bool are_enabled(UInt wanted)
{
   enum { HasXsaveInUse = 1 << 27, HasAvx = 1 << 28 };
   UInt answer[4], low, high;
   ask_processor(1, answer);
   if ((answer[2] & HasXsaveInUse) == 0 || (answer[2] & HasAvx) == 0)
      return False;
   __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
   return (low & wanted) == wanted;
}

Bool core_host_has_avx(void)
{
   enum { StateOfAvx = 6 };
   return are_enabled(StateOfAvx);
}

Bool core_host_has_wide_state(void)
{
   enum { StateOfAvx512 = 0xe6 };
   const UInt wanted = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
   UInt answer[4];
   ask_processor(0, answer);
   if (answer[0] < 7 || !are_enabled(StateOfAvx512))
      return False;
   ask_processor(7, answer);
   return (answer[1] & wanted) == wanted;
}

#endif

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
