/* SPDX-License-Identifier: GPL-2.0-or-later

   Instruments superblocks: of one in VEX's IR becomes one that also counts.  instrument.c
   decides what is added and in which order; the rooms below write parts of it.  No file
   outside this folder writes IR.  */

#ifndef CALLGRIND_INSTRUMENT_H
#define CALLGRIND_INSTRUMENT_H

#include "instrument/superblock_state.h"

/* A copy of the superblock, in VEX's memory, with what counts its segments, which are
   known, as are its stack_moves.  The copy is out.code, too.  */
IRSB* instrument_segments(SuperblockState* superblock);

#endif
