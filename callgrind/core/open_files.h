/* SPDX-License-Identifier: GPL-2.0-or-later

   What the core knows of open files: their paths, and which numbers are its own.  */

#ifndef CALLGRIND_OPEN_FILES_H
#define CALLGRIND_OPEN_FILES_H

#include "core_version.h"

#ifdef HAVE_VG_RESOLVE_FILENAME
extern Bool VG_(resolve_filename)(Int fd, const HChar** path);
#endif
#ifdef HAVE_VG_FD_HARD_LIMIT
extern Int VG_(fd_hard_limit);
#endif

/* Sets `path` to that of an open file, in the core's own memory until its next call.
   Returns False, and leaves it, where that cannot be known.  */
static inline Bool core_path_of_open_file(Int fd, const HChar** path)
{
#ifdef HAVE_VG_RESOLVE_FILENAME
   return VG_(resolve_filename)(fd, path);
#else
   (void)fd;
   (void)path;
   return False;
#endif
}

/* The least number of a file that the program cannot have; -1 if that is not known.  */
static inline Int core_first_own_file(void)
{
#ifdef HAVE_VG_FD_HARD_LIMIT
   return VG_(fd_hard_limit);
#else
   return -1;
#endif
}

#endif
