/* SPDX-License-Identifier: GPL-2.0-or-later

   The records of the lines of code that this program has been fetched from, for the
   simulated instruction cache (sim/codecache.h).  They live to the end of the run, since
   generated code names them.  */

#ifndef CALLGRIND_CODE_LINES_H
#define CALLGRIND_CODE_LINES_H

#include "sim/codecache.h"

#include "pub_tool_basics.h"

/* The record of the line that begins at `address`, made if there is none.  */
CodeLine* code_line_at(Addr address);

#endif
