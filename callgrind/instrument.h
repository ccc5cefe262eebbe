/* SPDX-License-Identifier: GPL-2.0-or-later

   VEX superblock in, instrumented superblock out.  Switching instrumentation on
   and off.  The only place that writes IR.  */

#ifndef CALLGRIND_INSTRUMENT_H
#define CALLGRIND_INSTRUMENT_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* The core's callbacks.  */
IRSB* instrument_superblock(VgCallbackClosure* closure, IRSB* in,
                            const VexGuestLayout* layout, const VexGuestExtents* extents,
                            const VexArchInfo* host, IRType guest_word, IRType host_word);
void instrument_discard(Addr key, VexGuestExtents extents);

/* Sets the state that the program starts in.  After the command line has been
   read, before anything is translated.  */
void instrument_init(Bool on);

Bool instrument_is_on(void);

/* Switches instrumentation.  Nothing happens if it is in that state already.
   Going on rebuilds the shadow stacks of all threads from their native stacks; going
   off books all open arcs and empties them.  `reason` is for the log.  */
void instrument_switch(Bool on, const HChar* reason);

/* Folds the object at `path` away from now on (guest/skip.h).  */
void instrument_skip_object(const HChar* path);

#endif
