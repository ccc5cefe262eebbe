/* SPDX-License-Identifier: GPL-2.0-or-later

   What is not to be shown: objects and functions that the user folds away with
   --obj-skip, --fn-skip and CALLGRIND_ADD_OBJ_SKIP.

   An object is compared by the path that the core records for its mapping, and by
   that with all symbolic links resolved; an entry likewise as it was given and
   resolved.  * and ? are wildcards.  */

#ifndef CALLGRIND_SKIP_H
#define CALLGRIND_SKIP_H

#include "core_version.h"

/* Takes the entries of the command line.  After it has been read.  */
void skip_init(void);

/* From now on objects at `path` are folded away, in programs that this one
   executes, too.  False if there was such an entry already.  */
Bool skip_add_object(const HChar* path);

/* Is the object at `path` to be folded away?  The function of this (demangled)
   name?  An entry that says yes counts as matched.  */
Bool skip_object(const HChar* path);
Bool skip_function(const HChar* name);

/* Names, one line each, the entries that have matched nothing.  */
void skip_warn_unmatched(void);

#endif
