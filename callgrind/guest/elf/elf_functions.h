/* SPDX-License-Identifier: GPL-2.0-or-later

   Where functions begin and end in an object without symbols.

   A stripped object still has call frame information (.eh_frame), because exceptions and
   backtraces need it.  It has an entry for each function, static ones included.  There
   are no names in it, but it tells one nameless function from the next.  */

#ifndef CALLGRIND_ELF_FUNCTIONS_H
#define CALLGRIND_ELF_FUNCTIONS_H

#include "core_version.h"

typedef struct {
   Addr start; /* as the object's file numbers addresses */
   Addr end;   /* one past the last byte */
} FunctionExtent;

typedef struct {
   UInt n_extents;
   FunctionExtent* extents; /* sorted, owned by the caller of elf_functions_read() */
} FunctionExtents;

/* Reads the extents from the `size` bytes of a .eh_frame section; `address` is where the
   file places it.  An entry that is broken or of an unknown encoding is left out; after a
   record that is too short or too long nothing is read.  */
FunctionExtents elf_functions_read(const UChar* bytes, ULong size, Addr address);

/* The extent that holds `address`, or NULL.  */
const FunctionExtent* elf_functions_find(const FunctionExtents* functions, Addr address);

/* True if an extent holds any address from `first` to `last`.  */
Bool elf_functions_has_any(const FunctionExtents* functions, Addr first, Addr last);

#endif
