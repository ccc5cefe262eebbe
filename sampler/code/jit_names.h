/* SPDX-License-Identifier: GPL-2.0-or-later

   The names that a process writes of its JIT code: to a perf map (/tmp/perf-PID.map),
   or to a jitdump file.  Neither is trusted.  */

#ifndef SAMPLER_JIT_NAMES_H
#define SAMPLER_JIT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct JitNames JitNames;

/* Whose code it is: a program in a process.  Numbers of processes are used again, and an
   exec begins another program, so the files may be of one that was there before or came
   after.  Times are of CLOCK_MONOTONIC, in nanoseconds; 0: not known.  */
typedef struct {
   uint32_t pid;
   uint64_t began, ended;
} JitOwner;

/* Ignores files that were last written before `time` (CLOCK_REALTIME, in seconds): they
   are of earlier processes with the same number.  0: none is ignored.  */
void jit_names_set_start(int64_t time);

/* Whether a path is that of a jitdump file, jit-PID.dump.  A program maps it into its
   memory so that profilers see where it is.  */
bool jit_names_is_dump(const char* path);

/* Adds a jitdump file to *names, which are made if they are NULL.  They refer to `owner`
   from then on, which may come to its end.  */
void jit_names_add_dump(JitNames** names, const JitOwner* owner, const char* path);

/* The names of a forked process, which has its parent's code, too.  NULL if `parent`
   is.  */
JitNames* jit_names_of_child(JitNames* parent, const JitOwner* owner);

/* The name of JIT code at a time of CLOCK_MONOTONIC, in nanoseconds; NULL if there is
   none so far.  *names are made if they are NULL.  The text lives to the end.  */
const char* jit_names_find(JitNames** names, const JitOwner* owner, uint64_t address,
                           uint64_t time);

/* The same after sampling: the files are read to their ends first.  */
const char* jit_names_find_late(JitNames** names, const JitOwner* owner, uint64_t address,
                                uint64_t time);

/* The owner is about to end: takes what the files say by now.  */
void jit_names_end(JitNames* names);

#endif
