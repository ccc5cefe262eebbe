/* SPDX-License-Identifier: GPL-2.0-or-later

   The file jit-PID.dump, to which a program writes its JIT code and the names of it
   (shared/jit/jitdump.h).  The program maps the file as executable, only to tell where it
   is.  */

#ifndef CALLGRIND_JITDUMP_FILE_H
#define CALLGRIND_JITDUMP_FILE_H

#include "core_version.h"

/* To be called when the program has mapped something at `start`.  If it is the dump, it
   is read from now on.  */
void jitdump_file_mapped(Addr start);

/* Passes names that have been added since the last time to jit_names.h.  A file of
   another kind, or with a record that makes no sense, is not read any further.  */
void jitdump_file_read(void);

/* To be called in a forked child: the file is its parent's.  */
void jitdump_file_forget(void);

#endif
