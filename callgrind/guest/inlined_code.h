/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined code: which functions the compiler has inlined at an address
   (--read-inline-info=yes).  */

#ifndef CALLGRIND_INLINED_CODE_H
#define CALLGRIND_INLINED_CODE_H

#include "guest/symbols.h"

/* The innermost inlined function at `address`, which is code of `object` that comes from
   `line`, and has the number `file_address` in its file; NULL if the code is the
   function's own, or if that is not known or not wanted.  */
const Inlined* inlined_code_at(Addr address, Addr file_address, Object* object,
                               const SourceLine* line);

#endif
