/* SPDX-License-Identifier: GPL-2.0-or-later

   The file jit-PID.dump, to which a program writes its JIT code and the names of it.

   The program maps the file as executable, only to tell where it is.  The file has a
   header and then records, in the byte order of the machine.  (The format is that of
   Linux's perf: tools/perf/Documentation/jitdump-specification.txt.)  */

#ifndef CALLGRIND_JITDUMP_H
#define CALLGRIND_JITDUMP_H

#include "core_version.h"

/* To be called when the program has mapped something at `start`.  If it is the dump, it
   is read from now on.  */
void jitdump_mapped(Addr start);

/* Passes names that have been added since the last time to jit_names.h.  A file of
   another kind, or with a record that makes no sense, is not read any further.  */
void jitdump_read(void);

/* To be called in a forked child: the file is its parent's.  */
void jitdump_forget(void);

#endif
