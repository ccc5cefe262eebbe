/* SPDX-License-Identifier: GPL-2.0-or-later

   The file that the sampler writes: its name, and writing it safely, under another name
   until it is whole.  Knows nothing of what it contains.  */

#ifndef SAMPLER_OUTPUT_H
#define SAMPLER_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct Output Output;

/* The absolute path of what `name` says in the current folder; where `name` is NULL,
   callgrind.sample.PID.  To be freed.  */
char* output_path(const char* name, pid_t pid);

/* Ends the sampler with a message if `path` is a folder, or cannot be written.  To be
   called early: the program may take an hour.  */
void output_check(const char* path);

/* Begins to write `path`, which stays the caller's and must live until output_close().
   A device or a pipe is written directly.  NULL, with errno, if there can be no file.  */
Output* output_open(const char* path);

/* What to write to.  Errors show when it is closed.  */
FILE* output_file(const Output* output);

/* Gives the file its name, and frees `output`.  False, with errno, if not everything
   could be written: nothing is left then, and an earlier file of that name stays.  */
bool output_close(Output* output);

#endif
