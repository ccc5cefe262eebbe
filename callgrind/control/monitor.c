/* SPDX-License-Identifier: GPL-2.0-or-later

   See monitor.h.  Names and answers are those of stock callgrind's manual ("Callgrind
   Monitor Commands").  */

#include "control/monitor.h"

#include "base/text.h"
#include "control/parts/dump.h"
#include "control/status.h"
#include "instrument/is_on.h"
#include "translations/instr_state.h"

#include "pub_tool_gdbserver.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static void print_help(void)
{
   VG_(gdb_printf)("\n"
                   "callgrind monitor commands:\n"
                   "  dump [<dump_hint>]\n"
                   "        dump counters\n"
                   "  zero\n"
                   "        zero counters\n"
                   "  status\n"
                   "        print status\n"
                   "  instrumentation [on|off]\n"
                   "        get/set (if on/off given) instrumentation state\n"
                   "\n");
}

/* The trigger of the part is the command with the user's hint.  */
static void dump(const HChar* hint)
{
   while (hint != NULL && *hint == ' ')
      hint++;
   if (hint == NULL || *hint == '\0') {
      dump_all_threads("dump");
      return;
   }
   HChar* trigger = text_join("monitor.trigger", "dump", " ", hint);
   dump_all_threads(trigger);
   VG_(free)(trigger);
}

static void status(HChar** rest)
{
   const HChar* word = VG_(strtok_r)(NULL, " ", rest);
   if (word == NULL)
      status_print();
   else if (VG_(keyword_id)("internal", word, kwd_report_all) == 0)
      status_print_internal();
}

static void instrumentation(HChar** rest)
{
   const HChar* word = VG_(strtok_r)(NULL, " ", rest);
   if (word == NULL) {
      VG_(gdb_printf)("instrumentation: %s\n", instrumentation_is_on() ? "on" : "off");
      return;
   }
   switch (VG_(keyword_id)("on off", word, kwd_report_all)) {
   case 0: instr_state_set(True, RequestWhileCodeMayRun, "Command"); break;
   case 1: instr_state_set(False, RequestWhileCodeMayRun, "Command"); break;
   default: break; /* reported */
   }
}

Bool monitor_handle(const HChar* command)
{
   HChar* line = VG_(strdup)("monitor.line", command);
   HChar* rest = NULL;
   const HChar* word = VG_(strtok_r)(line, " ", &rest);
   Bool known = True;
   switch (word == NULL ? -1
                        : VG_(keyword_id)("help dump zero status instrumentation", word,
                                          kwd_report_duplicated_matches)) {
   case -2: break; /* ambiguous: reported */
   case 0:
      print_help();
      known = False;
      break; /* the core goes on with its own */
   case 1: dump(rest); break;
   case 2: dump_zero(); break;
   case 3: status(&rest); break;
   case 4: instrumentation(&rest); break;
   default: known = False; break;
   }
   VG_(free)(line);
   return known;
}
