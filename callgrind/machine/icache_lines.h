/* SPDX-License-Identifier: GPL-2.0-or-later

   The records of the lines of code that this program has been fetched from, for the
   simulated instruction cache (sim/icache.h).  They live to the end of the run, since
   generated code names them.  */

#ifndef CALLGRIND_ICACHE_LINES_H
#define CALLGRIND_ICACHE_LINES_H

#include "sim/icache.h"

#include "pub_tool_basics.h"

/* The record of the line that begins at `address`, made if there is none.  */
ICacheLine* icache_line_at(Addr address);

#endif
