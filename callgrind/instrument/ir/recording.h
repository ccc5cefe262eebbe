/* SPDX-License-Identifier: GPL-2.0-or-later

   What is recorded of a superblock while it is instrumented, so that its translation can
   be stored: its skeleton, the digest of what was added, and its relocations.  */

#ifndef CALLGRIND_RECORDING_H
#define CALLGRIND_RECORDING_H

#include "instrument/host/code_relocations.h"
#include "pub_tool_tooliface.h"

/* From now on, until recording_end(): the next superblock is recorded.  With
   `with_skeleton`, its skeleton is, too.  */
void recording_begin(Bool with_skeleton);
void recording_begin_again(void); /* if something is recorded: from the beginning */
void recording_end(void);

/* To be called when `in` has been instrumented, with the result.  Does nothing if nothing
   is to be recorded.  */
void recording_superblock(const IRSB* in, const IRSB* out, const VexGuestLayout* layout);

/* Of the superblock that was recorded last.  */
typedef struct {
   Bool is_complete; /* false: it cannot be stored */
   ULong digest;
   UInt n_words; /* the constants that relocations are for */
   const UChar* skeleton;
   UInt skeleton_size;
} Recorded;

const Recorded* recording_last(void);

/* The layout of the guest's state, as VEX gave it with the first superblock; NULL if
   there was none yet.  */
const VexGuestLayout* recording_layout(void);

#endif
