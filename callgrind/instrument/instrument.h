/* SPDX-License-Identifier: GPL-2.0-or-later

   Instruments superblocks: the core passes one in VEX's IR and gets back one that also
   counts.  instrument.c decides what is added and in which order; ir_build.c,
   cache_checks.c and cold_code.c write parts of it.  No file outside this folder writes
   IR.  */

#ifndef CALLGRIND_INSTRUMENT_H
#define CALLGRIND_INSTRUMENT_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* The core's callback for a superblock that it is about to translate.  Returns `in`
   itself while instrumentation is off.  */
IRSB* instrument_superblock(VgCallbackClosure* closure, IRSB* in,
                            const VexGuestLayout* layout, const VexGuestExtents* extents,
                            const VexArchInfo* host, IRType guest_word, IRType host_word);

/* The core's callback for a superblock whose translation it has discarded.  */
void instrument_discard(Addr key, VexGuestExtents extents);

#endif
