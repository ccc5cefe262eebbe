/* SPDX-License-Identifier: GPL-2.0-or-later

   Which objects and functions are skipped: not shown, with their cost on their callers,
   as the user asks with --obj-skip, --fn-skip and CALLGRIND_ADD_OBJ_SKIP.

   An entry is a pattern with * and ?.  Objects are compared with it by the path that the
   core records for their mapping, and by that path with all symbolic links resolved; so
   is the entry itself, as it was given and resolved.  */

#ifndef CALLGRIND_SKIP_H
#define CALLGRIND_SKIP_H

#include "core_version.h"

/* Takes the entries of the command line.  After options_finish().  */
void skip_init(void);

/* Adds an entry for objects, with a copy of `path`; also for programs that this process
   executes.  False if there is such an entry already, or if no path can be as long: one
   line says so, at most once.  What is skipped because of it has to be decided again:
   symbols_apply_last_skip().  */
Bool skip_add_object(const HChar* path);

/* True if the object at `path` is skipped, or functions of this (demangled) name.  An
   entry that says so counts as matched.  */
Bool skip_object(const HChar* path);
Bool skip_function(const HChar* name);

/* The part of skip_object() that the last entry added has.  `resolved` is what
   path_resolve() makes of `path`, which may be NULL.  */
Bool skip_by_last(const HChar* path, const HChar* resolved);

/* Tells of each object that has matched nothing, in one line each.  */
void skip_tell_unmatched(void);

#endif
