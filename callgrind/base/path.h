/* SPDX-License-Identifier: GPL-2.0-or-later

   Paths of files: from what the user writes to an absolute path, and where symbolic links
   lead.  */

#ifndef CALLGRIND_PATH_H
#define CALLGRIND_PATH_H

#include "core_version.h"

/* Returns the path that `name`, the value of `option`, stands for, with %p, %q{VAR} and
   so on replaced.  A relative one starts at the folder in which the program was started.
   If that folder was gone already, the path stays relative.  Ends the process with a
   message if `name` cannot be expanded.  The result is newly allocated.  */
HChar* path_expand(const HChar* option, const HChar* name);

/* Returns `path` as an absolute path in which every symbolic link is replaced by what it
   leads to, and "." and ".." by what they mean.  A relative path starts at the folder in
   which the program was started.  Components that do not exist stay as they are.  The
   result is newly allocated and the caller frees it.  NULL if it would be too long, or if
   there are more links than the kernel would follow.  Links are not looked for where
   system calls are filtered (system_filter.h).  */
HChar* path_resolve(const HChar* path);

#endif
