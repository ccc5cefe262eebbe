/* SPDX-License-Identifier: GPL-2.0-or-later

   What of the tool the core makes possible, as a table: configure ends with it, and it is
   printed with --stats=yes, by the tool (core/parts.c), and with --version -v, by the
   launchers (launcher_version.c).  docs/core.md says what each part needs.

   Relies on config.h.  configure reads the table: each part is a line of its own.  */

#ifndef COREGRIND_CORE_PARTS_H
#define COREGRIND_CORE_PARTS_H

/* PART(CONDITION, part, what is lost without it), where CONDITION becomes 1 if it is
   there, as configure has seen.  */
/* clang-format off */
#define CORE_PARTS(PART) \
   PART(CORE_CALLS_CAN_BE_WRAPPED, "code kept and stored", "each is made anew") \
   PART(CORE_TABLE_CAN_BE_DOUBLED, "START and STOP in no time", "they discard all code") \
   PART(CORE_REGISTERS_CAN_BE_RESERVED, "reserved registers", "counting is slower") \
   PART(CORE_LINES_CAN_BE_PUT_OFF, "late source lines", "starts take twice as long") \
   PART(CORE_SYMBOLS_CAN_BE_PUT_OFF, "late symbols", "--off=native starts later") \
   PART(CORE_SIGNALS_CAN_BE_WRAPPED, "--off=native", "code is translated") \
   PART(CORE_CPUID_CAN_BE_WRAPPED, "--guest-cpu", "it is refused") \
   PART(CORE_LOCK_CAN_BE_WRAPPED, "turns of threads", "--steady=yes is less so") \
   PART(CORE_LOG_CAN_BE_ESCAPED, "a log without control characters", "they are in it") \
   PART(HAVE_INITIAL_STACK_SYMBOLS, "a steady first stack", "--steady=yes is less so") \
   PART(HAVE_VEX_CONTROL_SYMBOL, "registers as exact as needed", "as --vex-iropt-* say") \
   PART(HAVE_CORE_INLINE_OPTION, "inlined functions", "they are not shown") \
   PART(HAVE_CORE_DEMANGLE, "names of inlined functions", "as linkers write them")
/* clang-format on */

#endif
