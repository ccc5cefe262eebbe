/* SPDX-License-Identifier: GPL-2.0-or-later

   See requests.h.  The codes are an ABI (include/callgrind.h): programs may have been
   compiled with any version of callgrind.h.  */

#include "control/requests.h"

#include "base/text.h"
#include "control/dump.h"
#include "control/monitor.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/timed_frames.h"
#include "translations/instr_state.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "callgrind.h"

static void dump_at(const HChar* text)
{
   HChar* trigger =
      text_join("requests.trigger", "Client Request", ": ", text != NULL ? text : "");
   dump_part(trigger);
   VG_(free)(trigger);
}

static void toggle_collect(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   shadowstack_set_collecting(stack, !stack->is_collecting);
   timed_frames_mark(MarkCollect, stack->is_collecting ? "on" : "off");
}

static void switch_to(Bool on)
{
   instr_state_set(on, RequestBetweenSuperblocks, "Client Request");
}

static void warn_unknown(UWord code)
{
   static Bool warned;
   if (warned)
      return;
   warned = True;
   VG_(umsg)("Warning: unknown callgrind client request code %#lx; ignored\n", code);
}

Bool requests_handle(ThreadId thread, UWord* arguments, UWord* result)
{
   (void)thread;
   if (arguments[0] == VG_USERREQ__GDB_MONITOR_COMMAND) {
      *result = monitor_handle((HChar*)arguments[1]);
      return (Bool)*result;
   }
   if (!VG_IS_TOOL_USERREQ('C', 'T', arguments[0]))
      return False;
   *result = 0;
   const HChar* text = (const HChar*)arguments[1];
   switch (arguments[0]) {
   case VG_USERREQ__DUMP_STATS: dump_part("Client Request"); break;
   case VG_USERREQ__ZERO_STATS: dump_zero(); break;
   case VG_USERREQ__TOGGLE_COLLECT: toggle_collect(); break;
   case VG_USERREQ__DUMP_STATS_AT: dump_at(text); break;
   case VG_USERREQ__START_INSTRUMENTATION: switch_to(True); break;
   case VG_USERREQ__STOP_INSTRUMENTATION: switch_to(False); break;
   case VG_USERREQ__ADD_OBJ_SKIP:
      if (text != NULL && text[0] != '\0')
         instr_state_skip_object(text);
      break;
   case VG_USERREQ__ADD_DESC:
      if (text != NULL)
         dump_describe(text);
      break;
   case VG_USERREQ__TIMELINE_MARK:
      if (text != NULL)
         timed_frames_mark(MarkProgram, text);
      break;
   default: warn_unknown(arguments[0]); return False;
   }
   return True;
}
