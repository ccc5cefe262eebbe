/* SPDX-License-Identifier: GPL-2.0-or-later

   Inlined code: which functions the compiler has inlined at an address
   (--read-inline-info=yes).  */

#ifndef CALLGRIND_INLINED_CODE_H
#define CALLGRIND_INLINED_CODE_H

#include "guest/symbols.h"

/* --read-inline-info=yes, of a core that has it.  */
Bool inlined_code_is_wanted(void);

/* `read` is called before the core is asked of an address: it may not have read inlined
   functions yet.  */
void inlined_code_before_core(void (*read)(Addr address));

/* The innermost inlined function at `address`, which is code of `object` that comes from
   `line`, and has the number `file_address` in its file; NULL if the code is the
   function's own, or if that is not known or not wanted.  Sets *may_be_stored if later
   runs will find the same: it does not depend on other files.  */
const Inlined* inlined_code_at(Addr address, Addr file_address, Object* object,
                               const SourceLine* line, Bool* may_be_stored);

#endif
