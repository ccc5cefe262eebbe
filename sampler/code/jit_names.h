/* SPDX-License-Identifier: GPL-2.0-or-later

   The names that a process writes of its JIT code, to a perf map or to jitdump files.
   Neither is trusted.  An owner that is passed in is referred to until the end.  */

#ifndef SAMPLER_JIT_NAMES_H
#define SAMPLER_JIT_NAMES_H

#include "code/jit_files.h"

typedef struct JitNames JitNames;

/* Whether a path is that of a jitdump file, jit-PID.dump.  A program maps it into its
   memory so that profilers see where it is.  */
bool jit_names_is_dump(const char* path);

/* Adds a jitdump file to *names, which are made if they are NULL.  Its path is as the
   process sees it.  */
void jit_names_add_dump(JitNames** names, JitOwner* owner, const char* path);

/* The names of a forked process, which has its parent's code, too.  NULL if `parent`
   is.  */
JitNames* jit_names_of_child(JitNames* parent, JitOwner* owner);

/* The name of JIT code at a time of CLOCK_MONOTONIC, in nanoseconds; NULL if there is
   none so far.  *names are made if they are NULL.  The text lives to the end.  */
const char* jit_names_find(JitNames** names, JitOwner* owner, uint64_t address,
                           uint64_t time);

/* jit_names_find() after sampling: the files are read to their ends first.  */
const char* jit_names_find_late(JitNames** names, JitOwner* owner, uint64_t address,
                                uint64_t time);

/* The owner is about to end: takes what the files say by now.  */
void jit_names_end(JitNames* names);

#endif
