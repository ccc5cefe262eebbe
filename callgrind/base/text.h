/* SPDX-License-Identifier: GPL-2.0-or-later

   Strings put together, and made safe to print.  */

#ifndef CALLGRIND_TEXT_H
#define CALLGRIND_TEXT_H

#include "core_version.h"

/* Returns `left`, `between` and `right` as one newly allocated string, which the caller
   frees.  `heap_name` is the name of the allocation in the core's heap statistics.  */
HChar* text_join(const HChar* heap_name, const HChar* left, const HChar* between,
                 const HChar* right);

/* Returns a copy of `text` for a terminal, newly allocated: each byte of a control
   character, and of what is no UTF-8, as \xHH.  */
HChar* text_printable(const HChar* heap_name, const HChar* text);

/* Tells the user something of `name`, which may hold anything.  `format` has a place for
   it, made printable, and one for `what`.  */
void text_say(const HChar* format, const HChar* name, const HChar* what);

#endif
