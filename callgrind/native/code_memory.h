/* SPDX-License-Identifier: GPL-2.0-or-later

   The program's executable memory: what of it has been looked at for instructions that
   must not run natively, and what became of them: a site (sites.h) or the fall-back
   (fallback.h).  It is told of all changes, and looks at what is new before code runs
   natively again.  */

#ifndef CALLGRIND_CODE_MEMORY_H
#define CALLGRIND_CODE_MEMORY_H

#include "native/patterns.h"

/* All that there is is new.  */
void native_code_init(PatternChoice choice);

/* Mapped by the program: `is_shared` with others, who must not see what is planted.  */
void native_code_mapped(Addr start, SizeT size, Bool executable, Bool is_shared);
void native_code_unmapped(Addr start, SizeT size);
void native_code_moved(Addr from, Addr to, SizeT size);
void native_code_protected(Addr start, SizeT size, Bool executable);

/* Is this code of a file, that nobody shares and the program does not write?  Then sets
   *protection to what the program's pages have there.  */
Bool native_code_is_private_file(Addr at, UInt* protection);

/* Looks at what is new.  Then, may code at `at` run natively?  */
Bool native_code_may_run(Addr at);

#endif
