/* SPDX-License-Identifier: GPL-2.0-or-later

   Where the profile goes: to its own file or, if that cannot be written, to the first
   place that takes it (docs/files.md).  Says which that is, or why there is none.  */

#ifndef SAMPLER_PLACES_H
#define SAMPLER_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

/* Writes the profile to `path`, which the user has named or not.  Returns 0, or an error
   of output.h's; it can be called again then.  */
typedef int PlaceWriter(const char* path, bool is_named, const void* context);

/* Has the profile written.  False if it is not in its own file.  */
bool places_write(const char* path, bool is_named, pid_t pid, PlaceWriter* write,
                  const void* context);

#endif
