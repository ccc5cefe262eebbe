/* SPDX-License-Identifier: GPL-2.0-or-later

   VEX superblock in, instrumented superblock out.  The only place that writes IR.  */

#ifndef CALLGRIND_INSTRUMENT_H
#define CALLGRIND_INSTRUMENT_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* The core's callbacks.  */
IRSB* instrument_superblock(VgCallbackClosure* closure, IRSB* in,
                            const VexGuestLayout* layout, const VexGuestExtents* extents,
                            const VexArchInfo* host, IRType guest_word, IRType host_word);
void instrument_discard(Addr key, VexGuestExtents extents);

#endif
