/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the profile in the format of docs/tree-format.md.  */

#ifndef SAMPLER_TREE_FILE_H
#define SAMPLER_TREE_FILE_H

#include "profile/profile.h"

/* What the header says of the event.  */
typedef struct {
   const char* name; /* "cycles" or "cpu-clock" */
   bool is_cycles;
   bool has_waits;
   unsigned frequency;
   unsigned slowdown; /* in per cent: what lower rates are for */
   bool has_kernel;
} TreeFileEvent;

/* Writes all parts of the finished profile to `path`, which the user has named or not, as
   output.h does.  Returns 0, or an error of output.h's; it can be called again then.  */
int tree_file_write(const char* path, bool is_named, const Part* parts,
                    const TreeFileEvent* event);

#endif
