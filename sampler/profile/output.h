/* SPDX-License-Identifier: GPL-2.0-or-later

   The file that the sampler writes: its name, and writing it safely (docs/files.md),
   under another name until it is whole.  Knows nothing of what it contains.

   Errors are numbers of errno, or of target.h, which has the words for them.  */

#ifndef SAMPLER_OUTPUT_H
#define SAMPLER_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct Output Output;

/* The absolute path of what `name` says in the current folder; where `name` is NULL,
   callgrind.sample.PID.  A relative path if there is no such folder any more.  To be
   freed.  */
char* output_path(const char* name, pid_t pid);

/* The path that is tried where that cannot be written: `attempt` is 0 for the first one.
   NULL if there are no more.  To be freed.  */
char* output_fallback(pid_t pid, unsigned attempt);

/* Ends the sampler with a message if `path` is a folder, or cannot be written.  To be
   called early: the program may take an hour.  */
void output_check(const char* path, bool is_named);

/* Begins to write `path`, which the user has named or not.  A device or a pipe is written
   directly.  NULL, with *error, if there can be no file.  */
Output* output_open(const char* path, bool is_named, int* error);

/* What to write to.  Errors show when it is closed.  */
FILE* output_file(const Output* output);

/* Gives the file its name, and frees `output`.  Returns 0, or an error if not everything
   could be written: nothing is left then, and an earlier file of that name stays.  */
int output_close(Output* output);

#endif
