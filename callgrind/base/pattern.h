/* SPDX-License-Identifier: GPL-2.0-or-later

   Patterns for names: `*` stands for any text, also for none, `?` for one byte, and all
   else for itself; there is no way to take one of the two for itself.  So the core's
   VG_(string_match) sees them, too.  That takes no text of a million bytes, though, and
   tries every way to divide it among several stars.  */

#ifndef CALLGRIND_PATTERN_H
#define CALLGRIND_PATTERN_H

#include "core_version.h"

/* True if the whole of `text` is as `pattern` says.  Either may have any length.  The
   time is that of reading both once; where a part of the pattern between two stars begins
   in the text again and again, at most the product of their lengths.  */
Bool pattern_matches(const HChar* pattern, const HChar* text);

#endif
