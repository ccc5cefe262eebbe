/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined code: which functions the compiler has put into the one that runs
   (--read-inline-info=yes).  Owns the records; each is made once and lives to the end of
   the run.  */

#ifndef CALLGRIND_INLINED_H
#define CALLGRIND_INLINED_H

#include "core_version.h"

typedef struct Inlined {
   const HChar* name;           /* as the debug information has it, without its scope */
   const struct Inlined* outer; /* it is inlined into this one; NULL: into the function */
   UInt id;                     /* 0, 1, 2 ... in order of first appearance */
} Inlined;

/* The innermost inlined function that the code at `address` is of; NULL if it is the
   function's own, or if nothing is known: the core reads that information only with
   --read-inline-info=yes.  */
const Inlined* inlined_at(Addr address);

/* Their ids are below this number.  */
UInt inlined_count(void);
const Inlined* inlined_by_id(UInt id);

#endif
