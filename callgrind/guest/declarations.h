/* SPDX-License-Identifier: GPL-2.0-or-later

   Where functions are declared, for call trees, and for a comment in profiles, which have
   them in the file of their first instruction, as stock has; but that may be code of
   another file, inlined.  */

#ifndef CALLGRIND_DECLARATIONS_H
#define CALLGRIND_DECLARATIONS_H

#include "guest/symbols.h"

typedef struct {
   const SourceFile* file;
   UInt line; /* 0 if not known */
} Declaration;

/* By the debug information of the function's object, which is read for it, if its file is
   not too large or it is read anyway (inlined_code.h).  If that does not tell, where its
   first instruction is from.  */
Declaration declarations_of(Function* function);

#endif
