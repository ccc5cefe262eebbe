/* SPDX-License-Identifier: GPL-2.0-or-later

   See requests.h.  The codes are an ABI (include/callgrind.h): programs may have been
   compiled with any version of callgrind.h.  */

#include "control/requests.h"

#include "base/text.h"
#include "control/monitor.h"
#include "control/parts/dump.h"
#include "guest/memory.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/frames/timed_frames.h"
#include "translations/instr_state.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "callgrind.h"

/* A text is cut off behind so many bytes.  No object has a longer path.  */
#define MOST_TEXT 65536
#define MOST_PATH 4096

/* A request with a text.  Of each kind the first one that is odd is told of.  */
typedef struct {
   const HChar* name;
   void (*handle)(const HChar* text);
   Bool has_warned;
} TextRequest;

static void warn(TextRequest* request, const HChar* what)
{
   if (!request->has_warned)
      VG_(umsg)("Warning: the text of %s %s\n", request->name, what);
   request->has_warned = True;
}

/* Carries the request out with the program's text at `address`; with an empty one if
   there is none that can be read, unless the request is nothing without.  */
static void handle_text(TextRequest* request, Addr address, SizeT most, Bool needs_all)
{
   HChar* text = NULL;
   TextRead read = TextUnreadable;
   if (address != 0) {
      read = guest_memory_text("requests.text", address, most, &text);
      if (read == TextUnreadable)
         warn(request,
              needs_all ? "cannot be read; ignored" : "cannot be read; left out");
      else if (read == TextTooLong)
         warn(request, needs_all ? "is longer than any path; ignored"
                                 : "is too long; its end is left out");
   }
   if (read == TextWhole || (read == TextTooLong && !needs_all))
      request->handle(text);
   else if (!needs_all)
      request->handle(NULL);
   VG_(free)(text);
}

static void dump_at(const HChar* text)
{
   HChar* trigger =
      text_join("requests.trigger", "Client Request", ": ", text != NULL ? text : "");
   dump_part(trigger);
   VG_(free)(trigger);
}

static void skip_object(const HChar* path)
{
   if (path[0] != '\0')
      instr_state_skip_object(path);
}

static void describe(const HChar* text)
{
   if (text != NULL)
      dump_describe(text);
}

static void mark(const HChar* text)
{
   if (text != NULL)
      timed_frames_mark(MarkProgram, text);
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
   static TextRequest dumps = {"CALLGRIND_DUMP_STATS_AT", dump_at, False};
   static TextRequest skips = {"CALLGRIND_ADD_OBJ_SKIP", skip_object, False};
   static TextRequest descriptions = {"CALLGRIND_ADD_DESC", describe, False};
   static TextRequest marks = {"CALLGRIND_TIMELINE_MARK", mark, False};
   const Addr text = arguments[1];
   switch (arguments[0]) {
   case VG_USERREQ__DUMP_STATS: dump_part("Client Request"); break;
   case VG_USERREQ__ZERO_STATS: dump_zero(); break;
   case VG_USERREQ__TOGGLE_COLLECT: toggle_collect(); break;
   case VG_USERREQ__DUMP_STATS_AT: handle_text(&dumps, text, MOST_TEXT, False); break;
   case VG_USERREQ__START_INSTRUMENTATION: switch_to(True); break;
   case VG_USERREQ__STOP_INSTRUMENTATION: switch_to(False); break;
   case VG_USERREQ__ADD_OBJ_SKIP: handle_text(&skips, text, MOST_PATH, True); break;
   case VG_USERREQ__ADD_DESC: handle_text(&descriptions, text, MOST_TEXT, False); break;
   case VG_USERREQ__TIMELINE_MARK: handle_text(&marks, text, MOST_TEXT, False); break;
   default: warn_unknown(arguments[0]); return False;
   }
   return True;
}
