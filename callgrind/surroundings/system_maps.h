/* SPDX-License-Identifier: GPL-2.0-or-later

   The text of /proc/self/maps, with the program's own mappings alone: not the core's, of
   which there are more or fewer from run to run.  */

#ifndef CALLGRIND_SYSTEM_MAPS_H
#define CALLGRIND_SYSTEM_MAPS_H

#include "core_version.h"

/* The text at this moment, newly allocated; the caller frees it.  `stack` is an address
   in the first thread's stack.  */
HChar* system_maps_text(Addr stack);

#endif
