/* SPDX-License-Identifier: GPL-2.0-or-later

   The superblock that is being translated, from the core's wish to VEX's code.

   VEX is asked for a translation, and in the middle of that the core asks the tool to
   instrument it, without a word of our own.  So what both must know of the superblock is
   kept here, between superblocks_begin() and superblocks_end().  A stored translation is
   instrumented again in the same way, of its skeleton.  */

#ifndef CALLGRIND_SUPERBLOCKS_H
#define CALLGRIND_SUPERBLOCKS_H

#include "instrument/superblock_state.h"

/* Translating with these arguments begins, and ends.  In between,
   superblocks_instrument() is called at most once, and VEX's arguments may change.  With
   patch points, the code must be completed by patch_points_resolve().  Returns the
   superblock; what is known of it stays until the next call.  */
SuperblockState* superblocks_begin(VexTranslateArgs* arguments, RecordingWanted wanted,
                                   Bool with_patch_points);
void superblocks_end(void);

/* Adds to the extents of the superblock that was translated last what the host executes
   behind VEX's last instruction.  To be called once.  */
void superblocks_note_extent(VexGuestExtents* extents);

/* The one that was translated, or instrumented again, last.  */
SuperblockState* superblocks_last(void);

/* To be called when a translation is wanted.  The first time, it is looked at whether the
   core's calls have come to the tool by which that is done; what needs those that have
   not is off from then on, and one line for each says so under -v.  */
void superblocks_look_at_core(void);

/* The core's callback for a superblock that it is about to translate.  While
   instrumentation is off, returns `in` itself, but where an allocator begins.  */
IRSB* superblocks_instrument(VgCallbackClosure* closure, IRSB* in,
                             const VexGuestLayout* layout, const VexGuestExtents* extents,
                             const VexArchInfo* host, IRType guest_word,
                             IRType host_word);

/* The core's callback for a superblock whose translation it has discarded.  */
void superblocks_discarded(Addr key, VexGuestExtents extents);

#endif
