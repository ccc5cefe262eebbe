/* SPDX-License-Identifier: GPL-2.0-or-later

   The records of the cache lines that instructions have been fetched from, for the
   simulated instruction cache (sim/icache.h).  Generated code contains their addresses,
   so they are never freed.  */

#ifndef CALLGRIND_ICACHE_LINES_H
#define CALLGRIND_ICACHE_LINES_H

#include "sim/icache.h"

#include "pub_tool_basics.h"

/* The record of the line that begins at `address`, always the same one.  It is made when
   it is asked for first.  `shift` is what the address is higher than the real one
   (layout/code_layout.h).  After simulation_init().  */
ICacheLine* icache_line_at(Addr address, Addr shift);

#endif
