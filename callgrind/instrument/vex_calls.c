/* SPDX-License-Identifier: GPL-2.0-or-later

   See vex_calls.h.  */

#include "instrument/vex_calls.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

#include "instrument/memory_additions.h"
#include "instrument/recording.h"

VexTranslateResult __real_LibVEX_Translate(VexTranslateArgs* arguments);

VexTranslateResult vex_calls_translate(VexTranslateArgs* arguments)
{
   memory_additions_begin();
   VexTranslateResult result = __real_LibVEX_Translate(arguments);
   memory_additions_end();
   if (result.status != VexTransOK ||
       memory_additions_resolve(arguments->host_bytes, (UInt)*arguments->host_bytes_used))
      return result;
   recording_begin_again();
   return __real_LibVEX_Translate(arguments);
}

#endif
