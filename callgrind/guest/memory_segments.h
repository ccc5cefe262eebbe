/* SPDX-License-Identifier: GPL-2.0-or-later

   Which segments of memory there are, as the core knows them.  */

#ifndef CALLGRIND_MEMORY_SEGMENTS_H
#define CALLGRIND_MEMORY_SEGMENTS_H

#include "core_version.h"

/* Sets *starts to a newly allocated array of where the segments of these kinds (Sk... of
   pub_tool_aspacemgr.h, added up) start, in their order, and returns how many there are.
   The caller frees it.  */
Int memory_segments(UInt kinds, Addr** starts);

#endif
