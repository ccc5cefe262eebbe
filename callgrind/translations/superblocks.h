/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's two callbacks about superblocks: one that is about to be translated, in
   VEX's IR; one whose translation is gone.  */

#ifndef CALLGRIND_SUPERBLOCKS_H
#define CALLGRIND_SUPERBLOCKS_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* The core's callback for a superblock that it is about to translate.  Returns `in`
   itself while instrumentation is off.  */
IRSB* superblocks_instrument(VgCallbackClosure* closure, IRSB* in,
                             const VexGuestLayout* layout, const VexGuestExtents* extents,
                             const VexArchInfo* host, IRType guest_word,
                             IRType host_word);

/* The core's callback for a superblock whose translation it has discarded.  */
void superblocks_discarded(Addr key, VexGuestExtents extents);

#endif
