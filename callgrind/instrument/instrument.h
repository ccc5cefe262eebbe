/* SPDX-License-Identifier: GPL-2.0-or-later

   Instruments superblocks: of one in VEX's IR becomes one that also counts.  instrument.c
   decides what is added and in which order; the rooms below write parts of it.  No file
   outside this folder writes IR.  */

#ifndef CALLGRIND_INSTRUMENT_H
#define CALLGRIND_INSTRUMENT_H

#include "instrument/segments.h"

#include "pub_tool_tooliface.h"

/* A copy of the superblock, in VEX's memory, with what counts its segments: all of
   `in`, from the first IMark on.  */
IRSB* instrument_segments(const IRSB* in, const Segment* segments, UInt n_segments,
                          const VexGuestLayout* layout);

#endif
