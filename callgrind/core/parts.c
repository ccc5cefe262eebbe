/* SPDX-License-Identifier: GPL-2.0-or-later

   See parts.h.  configure reads the table, too: each part is a line of its own.  */

#include "core/parts.h"

#include "core_version.h"

#include "pub_tool_libcprint.h"

typedef struct {
   const HChar* is_there; /* "1", or the name of what configure has not defined */
   const HChar* part;
   const HChar* without;
} Part;

#define TEXT(name) #name
#define PART(name, part, without) {TEXT(name), part, without},

static const Part parts[] = {
   /* clang-format off */
   PART(CORE_CALLS_CAN_BE_WRAPPED, "code kept and stored", "each is made anew")
   PART(CORE_TABLE_CAN_BE_DOUBLED, "START and STOP in no time", "they discard all code")
   PART(CORE_REGISTERS_CAN_BE_RESERVED, "reserved registers", "counting is slower")
   PART(CORE_LINES_CAN_BE_PUT_OFF, "late source lines", "starts take twice as long")
   PART(CORE_SIGNALS_CAN_BE_WRAPPED, "--off=native", "code is translated")
   PART(CORE_CPUID_CAN_BE_WRAPPED, "--guest-cpu", "it is refused")
   PART(CORE_LOCK_CAN_BE_WRAPPED, "turns of threads", "--steady=yes is less steady")
   PART(CORE_LOG_CAN_BE_ESCAPED, "a log without control characters", "they are in it")
   PART(HAVE_INITIAL_STACK_SYMBOLS, "a steady first stack", "--steady=yes is less steady")
   PART(HAVE_VEX_CONTROL_SYMBOL, "registers as exact as needed", "as --vex-iropt-* say")
   PART(HAVE_CORE_INLINE_OPTION, "inlined functions", "they are not shown")
   PART(HAVE_CORE_INFLATE, "compressed debug sections", "they are not read")
   PART(HAVE_CORE_DEMANGLE, "names of inlined functions", "as linkers write them")
   /* clang-format on */
};

void core_parts_print(void)
{
   for (UInt i = 0; i < sizeof parts / sizeof *parts; i++)
      if (parts[i].is_there[0] == '1')
         VG_(umsg)("core %s: %s: yes\n", CORE_VERSION, parts[i].part);
      else
         VG_(umsg)("core %s: %s: no, %s\n", CORE_VERSION, parts[i].part,
                   parts[i].without);
}
