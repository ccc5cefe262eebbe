/* SPDX-License-Identifier: GPL-2.0-or-later

   Which function the code at an address is of, and which others the compiler has put
   there.  */

#ifndef CALLGRIND_DWARF_INLINING_H
#define CALLGRIND_DWARF_INLINING_H

#include "dwarf/dwarf_file.h"

/* A call that the compiler has replaced by the code of what is called.  */
typedef struct InlinedCall {
   struct InlinedCall* outer; /* inlined into this one; NULL: into a function */
   DwarfFile* file;           /* where the function is described that is inlined: */
   ULong function;            /* the offset of its entry */
   const void* known;         /* for the caller's use; NULL at first */
} InlinedCall;

/* Sets `call` to the innermost one at `address`, as the file numbers it, or to NULL if
   there is none.  Returns False if the file does not tell.  Calls live as long as the
   file.  */
Bool inlining_at(DwarfFile* file, Addr address, InlinedCall** call);

/* Finds the entry of the function that has the code at `address`, whatever is inlined
   there: its offset, and the file that it is in.  False if none is known.  */
Bool inlining_function_at(DwarfFile* file, Addr address, DwarfFile** in, ULong* offset);

#endif
