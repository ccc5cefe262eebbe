/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of code that a process makes while it runs, as it tells them itself: in a perf
   map (/tmp/perf-PID.map), or in a jitdump file.  What these files hold is not trusted.  */

#ifndef SAMPLER_JIT_NAMES_H
#define SAMPLER_JIT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct JitNames JitNames;

/* Perf maps that were not written to since `time` (CLOCK_REALTIME, in seconds) are of
   processes that had the same number once.  0: all are of ours.  */
void jit_names_set_start(int64_t time);

/* Whether a path is that of a jitdump file, which programs map to tell of it.  */
bool jit_names_is_dump(const char* path);

/* Adds a jitdump file of process `pid` to *names, which is made if it is NULL.  */
void jit_names_add_dump(JitNames** names, uint32_t pid, const char* path);

/* The names of a child, which has its parent's code to begin with.  NULL if `parent` is.  */
JitNames* jit_names_of_child(JitNames* parent, uint32_t pid);

/* The name of code in process `pid` at a time of CLOCK_MONOTONIC; NULL if it was not told
   (so far).  *names is made if it is NULL.  The text stays.  */
const char* jit_names_find(JitNames** names, uint32_t pid, uint64_t address,
                           uint64_t time);

/* The same when all was written: files are read to their ends.  */
const char* jit_names_find_late(JitNames** names, uint32_t pid, uint64_t address,
                                uint64_t time);

#endif
