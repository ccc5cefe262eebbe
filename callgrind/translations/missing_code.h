/* SPDX-License-Identifier: GPL-2.0-or-later

   Code that is to be translated and is not there, although the core takes it for mapped:
   it lies behind the end of a file that has become shorter, a forked child has not got
   it, or pages are guarded.  VEX would die of reading it.

   In its place the program gets a superblock that reads the first byte that is missing:
   that is the fault that executing it would have been, with all that a handler is told.
   If the handler mends it, the superblock is discarded, and made anew.  */

#ifndef CALLGRIND_MISSING_CODE_H
#define CALLGRIND_MISSING_CODE_H

#include "core_version.h"

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* Is some of the code missing that VEX is to translate?  Then VEX is given what is there:
   it is to be called until missing_code_end() says that this was all, and what it has
   made then is not to be kept.  Otherwise only sees to it that VEX goes into no code that
   is missing.  */
Bool missing_code_begin(VexTranslateArgs* arguments);
Bool missing_code_end(void);

#endif

/* What takes the place of the superblock `in`, uninstrumented; NULL: nothing.  */
IRSB* missing_code_instead(IRSB* in);

#endif
