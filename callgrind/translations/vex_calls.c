/* SPDX-License-Identifier: GPL-2.0-or-later

   See vex_calls.h.  */

#include "translations/vex_calls.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

#include "instrument/host/chains.h"
#include "instrument/host/dispatch.h"
#include "instrument/host/patch_points.h"
#include "instrument/ir/recording.h"

VexTranslateResult __real_LibVEX_Translate(VexTranslateArgs* arguments);

static VexTranslateResult translate(VexTranslateArgs* arguments)
{
   dispatch_begin(arguments);
   VexTranslateResult result = __real_LibVEX_Translate(arguments);
   dispatch_end();
   return result;
}

/* Has VEX make a translation with marks, and resolves them.  False if that cannot be.  */
static Bool translate_with_marks(VexTranslateArgs* arguments, VexTranslateResult* result)
{
   marks_begin();
   *result = translate(arguments);
   marks_end();
   if (result->status != VexTransOK)
      return True;
   UInt size = (UInt)*arguments->host_bytes_used;
   if (!marks_resolve(arguments->host_bytes, &size, (UInt)arguments->host_bytes_size))
      return False;
   *arguments->host_bytes_used = (Int)size;
   return True;
}

VexTranslateResult vex_calls_translate(VexTranslateArgs* arguments)
{
   VexTranslateResult result;
   chains_begin();
   if (!translate_with_marks(arguments, &result)) {
      recording_begin_again();
      result = translate(arguments);
   }
   if (result.status == VexTransOK)
      chains_sign_exits(arguments);
   return result;
}

#endif
