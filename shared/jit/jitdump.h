/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads a jitdump, jit-PID.dump, to which a program writes its JIT code and the names of
   it.

   The file has a header and then records, in the byte order of the machine.  A record
   counts when it is whole.  (The format is that of Linux's perf:
   tools/perf/Documentation/jitdump-specification.txt.)  */

#ifndef SHARED_JITDUMP_H
#define SHARED_JITDUMP_H

#include "jit/name_sink.h"

#include <stdbool.h>

/* How much of a record is kept besides the name.  */
#define JITDUMP_MIN_ROOM 64

typedef struct {
   unsigned char* kept; /* what is needed of the header or record; the owner's memory */
   size_t room;
   size_t n_kept;
   uint64_t n_passed; /* bytes of the header or record that have been read */
   bool has_header;
   bool has_other_clock; /* its times are not those of the system's monotonic clock */
   bool is_bad;          /* of another kind, or makes no sense; the rest is ignored */
} Jitdump;

/* Begins at the start of the file.  Names are cut off after `room` - JITDUMP_MIN_ROOM
   bytes, which are more than 0; `kept` is memory of the size `room`, which stays the
   caller's.  */
void jitdump_begin(Jitdump* dump, unsigned char* kept, size_t room);

/* Takes the next `n` bytes.  */
void jitdump_take(Jitdump* dump, const void* bytes, size_t n, const NameSink* sink);

#endif
