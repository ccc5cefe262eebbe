/* SPDX-License-Identifier: GPL-2.0-or-later

   The client requests that the integrations of CodSpeed's runner issue for a benchmark,
   as functions of a shared library.  */

#include "callgrind.h"

void requests_begin(void)
{
   CALLGRIND_ZERO_STATS;
   CALLGRIND_START_INSTRUMENTATION;
}

void requests_end(const char* name)
{
   CALLGRIND_STOP_INSTRUMENTATION;
   CALLGRIND_DUMP_STATS_AT(name);
}
