/* SPDX-License-Identifier: GPL-2.0-or-later

   The file jit-PID.dump, in which programs that make code keep it, with its names.

   Such a program maps the file, executable, for no other purpose than to tell where it
   is.  It holds a header and then records, in the byte order of the machine.  (The format
   is that of Linux's perf: tools/perf/Documentation/jitdump-specification.txt.)  */

#ifndef CALLGRIND_JITDUMP_H
#define CALLGRIND_JITDUMP_H

#include "core_version.h"

/* The program has mapped something at `start`: if that is its dump, it is read from now
   on.  */
void jitdump_mapped(Addr start);

/* Hands names that have come since the last time to jit_names.h.  A file of another
   kind, or one that makes no sense, is not read on.  */
void jitdump_read(void);

/* The file is not this process's any more, but that of its parent.  */
void jitdump_forget(void);

#endif
