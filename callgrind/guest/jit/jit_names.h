/* SPDX-License-Identifier: GPL-2.0-or-later

   JIT names: which name the program gave to which piece of memory.  perfmap_file.h and
   jitdump_file.h read them from files; jit_functions.h uses them.

   Memory has one name at a time: a new one takes the place of what was there.  So what is
   kept, and what a search takes, goes by the names that are in force.  */

#ifndef CALLGRIND_JIT_NAMES_H
#define CALLGRIND_JIT_NAMES_H

#include "core_version.h"
#include "jit/name_sink.h"

/* Before anything else here.  */
void jit_names_init(void);

/* From now on the `size` bytes at `start` are called `name`, which has `length` bytes and
   is copied.  Does nothing if `size` or `length` is 0, or if the code would reach beyond
   the end of memory.  */
void jit_names_add(Addr start, SizeT size, const HChar* name, SizeT length);

/* Takes what the readers of files find.  */
extern const NameSink jit_names_sink;

/* The name that `address` was given last, or NULL.  It is valid until the next one is
   added anywhere.  */
const HChar* jit_names_at(Addr address);

/* True if the code that `address` is named after begins there.  */
Bool jit_names_begin_at(Addr address);

#endif
