/* SPDX-License-Identifier: GPL-2.0-or-later

   What is recorded of a superblock while it is instrumented, so that its translation can
   be stored: its skeleton, the digest of what was added, and its relocations.  */

#ifndef CALLGRIND_RECORDING_H
#define CALLGRIND_RECORDING_H

#include "instrument/ir/ir_build.h"
#include "instrument/ir/needed_statements.h"

/* What is wanted of a superblock.  */
typedef enum { RecordNothing, RecordDigest, RecordSkeleton } RecordingWanted;

/* All zero: nothing is recorded.  */
typedef struct {
   RecordingWanted wanted;
   Bool is_complete; /* false: the superblock cannot be stored */
   ULong digest;
   UInt n_words; /* the constants that relocations are for */
   UInt skeleton_size;
   UChar skeleton[1 << 15];
   NeededStatements needed;
} Recording;

/* From now on, until recording_end(), `out` is recorded.  A digest goes with relocations;
   a skeleton goes with both.  */
void recording_begin(Recording* recording, RecordingWanted wanted, IrOutput* out);
void recording_end(Recording* recording, IrOutput* out);

/* To be called when `in` has been instrumented, with the result.  Does nothing if nothing
   is to be recorded.  */
void recording_superblock(Recording* recording, const IRSB* in, IrOutput* out,
                          const VexGuestLayout* layout);

#endif
