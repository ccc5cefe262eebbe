/* SPDX-License-Identifier: GPL-2.0-or-later

   JIT names: which name the program gave to which piece of memory.  perfmap.h and
   jitdump.h read them from files; jit_functions.h uses them.  */

#ifndef CALLGRIND_JIT_NAMES_H
#define CALLGRIND_JIT_NAMES_H

#include "core_version.h"

/* Before anything else here.  */
void jit_names_init(void);

/* From now on the `size` bytes at `start` are called `name`.  That has `length` bytes, or
   fewer if there is a NUL among them; it is copied.  Does nothing if `size` is 0 or the
   name is empty.  */
void jit_names_add(Addr start, SizeT size, const HChar* name, SizeT length);

/* The name that `address` was given last, or NULL.  It stays valid.  */
const HChar* jit_names_at(Addr address);

/* True if the code that `address` is named after begins there.  */
Bool jit_names_begin_at(Addr address);

#endif
