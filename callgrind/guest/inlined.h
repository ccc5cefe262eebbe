/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that the compiler has inlined.  Each has one record, which lives as long as
   the process, so pointers may be compared.  inlined_code.h tells where they are.  */

#ifndef CALLGRIND_INLINED_H
#define CALLGRIND_INLINED_H

#include "core_version.h"

struct Object;
struct SourceFile;

typedef struct Inlined {
   const HChar* name;             /* with its scope, as far as debug information tells */
   const struct Inlined* outer;   /* inlined into this one; NULL: into the function */
   const struct Object* object;   /* that has the code */
   const struct SourceFile* file; /* that it is defined in; NULL: not known */
   UInt line;                     /* of its definition; 0: not known */
   UInt id;                       /* 0, 1, 2 ... in order of first appearance */
} Inlined;

/* The record with the name, line, object and outer function of `like`, and with this name
   of a file, as far as that is known; made at its first use.  Functions of one name are
   told apart by all of these.  A new one has no file.  */
Inlined* inlined_intern(const Inlined* like, const HChar* base_name);

/* How many records there are; their ids are below this number.  */
UInt inlined_count(void);

/* The record with this id.  */
const Inlined* inlined_by_id(UInt id);

#endif
