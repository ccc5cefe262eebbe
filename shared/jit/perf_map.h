/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads a perf map, /tmp/perf-PID.map, to which a program writes the names of its JIT
   code.

   A line is `START SIZE NAME`: two hexadecimal numbers, with 0x in front or without, and
   the name up to the end of the line.  A line that makes no sense is ignored; one that
   has not come to its end is none.  (The format is that of Linux's perf: its
   Documentation/jit-interface.txt.)  */

#ifndef SHARED_PERF_MAP_H
#define SHARED_PERF_MAP_H

#include "jit/name_sink.h"

typedef struct {
   char* line; /* its beginning, as far as it has been read; the owner's memory */
   size_t room;
   size_t length; /* of the line, so far; at most `room` */
} PerfMap;

/* Begins at the start of a line.  Of longer lines than `room` the end is cut off; `line`
   is memory of that size, which stays the caller's.  */
void perf_map_begin(PerfMap* map, char* line, size_t room);

/* Takes the next `n` bytes.  */
void perf_map_take(PerfMap* map, const void* bytes, size_t n, const NameSink* sink);

#endif
