/* SPDX-License-Identifier: GPL-2.0-or-later

   The files to which a process writes the names of its JIT code: a perf map and jitdumps.
   Anybody may write files of such names, and numbers of processes are used again.  So a
   file counts if its user is that of the process, or ours, and if it was written while
   the process ran.  */

#ifndef SAMPLER_JIT_FILES_H
#define SAMPLER_JIT_FILES_H

#include "code/process_view.h"

/* Whose code it is: a program in a process.  An exec begins another program.  Times are
   of CLOCK_MONOTONIC, in nanoseconds; 0: not known.  */
typedef struct {
   ProcessView view;
   uint64_t began, ended; /* the program; it may have ended by an exec */
   uint64_t exited;       /* a thread of it, the last one so far */
} JitOwner;

/* Ignores files that were last written before `time` (CLOCK_REALTIME, in seconds).  0:
   none is ignored.  */
void jit_files_set_start(int64_t time);

/* Opens the perf map of a program, /tmp/perf-PID.map with the number that the process
   has for itself.  Looks at the process again, if it lives.  If it ended before its
   number was seen, the file may be the only one that it can have written.  -1: there is
   none so far.  */
int jit_files_open_map(JitOwner* owner);

/* Opens a jitdump file, whose path is as the process sees it.  Looks at the process
   again, if it lives.  -1: there is none so far.  */
int jit_files_open_dump(JitOwner* owner, const char* path);

/* Whether an open file was last written by its owner, as far as its time tells.  */
bool jit_files_is_of_owner(const JitOwner* owner, int fd);

#endif
