/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined code: which functions the compiler has inlined at an address
   (--read-inline-info=yes).  Owns the records; each is made once and lives as long as the
   process, so pointers may be compared.  */

#ifndef CALLGRIND_INLINED_H
#define CALLGRIND_INLINED_H

#include "core_version.h"

struct Object;
struct SourceFile;

typedef struct Inlined {
   const HChar* name;             /* as in the debug information, without its scope */
   const struct Inlined* outer;   /* inlined into this one; NULL: into the function */
   const struct Object* object;   /* that has the code */
   const struct SourceFile* file; /* of its code; NULL as long as it is not known */
   UInt id;                       /* 0, 1, 2 ... in order of first appearance */
} Inlined;

/* The innermost inlined function at `address`, which is code of `object` that comes from
   `file` with this path; NULL if the code is the function's own, or if that is not known:
   the core reads this information only with --read-inline-info=yes.  Two functions of one
   name from different files are two.  */
const Inlined* inlined_at(Addr address, const struct Object* object,
                          const struct SourceFile* file, const HChar* path);

/* How many records there are; their ids are below this number.  */
UInt inlined_count(void);

/* The record with this id.  */
const Inlined* inlined_by_id(UInt id);

#endif
