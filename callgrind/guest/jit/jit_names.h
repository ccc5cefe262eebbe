/* SPDX-License-Identifier: GPL-2.0-or-later

   Names of code that is in no object file: which name a piece of memory was given, by
   whoever made the code.  Knows addresses and names; where they come from is
   perfmap.h's and jitdump.h's business, and what becomes of them jit_functions.h's.  */

#ifndef CALLGRIND_JIT_NAMES_H
#define CALLGRIND_JIT_NAMES_H

#include "core_version.h"

/* Before anything else here.  */
void jit_names_init(void);

/* From now on the `size` bytes at `start` are called `name`, `length` bytes that are
   copied; it ends at a NUL, too.  Nothing happens if there is no byte or no name.  */
void jit_names_add(Addr start, SizeT size, const HChar* name, SizeT length);

/* The name that `address` was given last, or NULL.  It stays to the end of the run.  */
const HChar* jit_names_at(Addr address);

#endif
