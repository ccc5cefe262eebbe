/* SPDX-License-Identifier: GPL-2.0-or-later

   See vex_calls.h.  */

#include "translations/vex_calls.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

#include "core/translation.h"
#include "core/vex_settings.h"
#include "host_instructions/refusal.h"
#include "instrument/emit/reserved_registers.h"

static VexTranslateResult translate(VexTranslateArgs* arguments, RecordingWanted wanted,
                                    Bool with_patch_points)
{
   /* VEX says that it does not know an instruction before it is known whether the host
      does.  */
   const Bool is_told = arguments->sigill_diag;
   arguments->sigill_diag = False;
   superblocks_begin(arguments, wanted, with_patch_points);
   VexTranslateResult result = core_translate(arguments);
   arguments->sigill_diag = is_told;
   if (UNLIKELY(is_told && superblocks_last()->refused != 0)) {
      refusal_tell(superblocks_last()->refused);
      superblocks_begin(arguments, wanted, with_patch_points);
      result = core_translate(arguments);
   }
   superblocks_end();
   superblocks_note_extent(arguments->guest_extents);
   return result;
}

/* Puts what they stand for in the place of all patch points.  False if that cannot
   be.  */
static Bool complete(const VexTranslateArgs* arguments)
{
   UInt size = (UInt)*arguments->host_bytes_used;
   if (!patch_points_resolve(&superblocks_last()->out.patch_points, arguments->host_bytes,
                             &size, (UInt)arguments->host_bytes_size))
      return False;
   *arguments->host_bytes_used = (Int)size;
   return True;
}

/* As translate(), and what may not go on behind an instruction is made to end there.  */
static VexTranslateResult translate_so_far(VexTranslateArgs* arguments,
                                           RecordingWanted wanted)
{
   VexTranslateResult result = translate(arguments, wanted, True);
   const UInt most = superblocks_last()->most_instructions;
   VexControl* settings = core_vex_settings();
   if (LIKELY(most == 0) || settings == NULL)
      return result;
   const Int most_before = settings->guest_max_insns;
   settings->guest_max_insns = (Int)most;
   result = translate(arguments, wanted, True);
   settings->guest_max_insns = most_before;
   return result;
}

VexTranslateResult vex_calls_translate(VexTranslateArgs* arguments,
                                       RecordingWanted wanted)
{
   VexTranslateResult result = translate_so_far(arguments, wanted);
   if (result.status == VexTransOK && !reserved_registers_are_kept())
      result = translate(arguments, wanted, True);
   if (result.status == VexTransOK && !complete(arguments))
      result = translate(arguments, wanted, False);
   if (result.status == VexTransOK)
      chains_sign_exits(superblocks_last()->exits, arguments);
   return result;
}

#endif
