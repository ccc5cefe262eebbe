/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the profile in the format of docs/tree-format.md.  */

#ifndef SAMPLER_TREE_FILE_H
#define SAMPLER_TREE_FILE_H

#include "profile/profile.h"

/* What the header says of the event.  */
typedef struct {
   const char* name; /* "cycles" or "cpu-clock" */
   bool is_cycles;
   unsigned frequency;
   bool has_kernel;
} TreeFileEvent;

/* Writes all parts of the finished profile to `path`, as output.h does.  False, with
   errno, if that fails.  */
bool tree_file_write(const char* path, const Part* parts, const TreeFileEvent* event);

#endif
