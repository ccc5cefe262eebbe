/* SPDX-License-Identifier: GPL-2.0-or-later

   Two texts made into one: a reason for a dump and what it is about, an option and its
   value.  */

#ifndef CALLGRIND_TEXT_H
#define CALLGRIND_TEXT_H

#include "core_version.h"

/* `left` and `right` with `between` between them, newly allocated; the core's statistics
   call it `heap_name`.  The caller frees it.  */
HChar* text_join(const HChar* heap_name, const HChar* left, const HChar* between,
                 const HChar* right);

#endif
