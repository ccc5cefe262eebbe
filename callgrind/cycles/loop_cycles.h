/* SPDX-License-Identifier: GPL-2.0-or-later

   What the instructions of a superblock cost where they run: in a loop.

   From the end of the superblock, code is read on, along branches and past calls, until a
   shortest way leads back to the superblock.  This loop is executed in a model of the
   processor until it is steady.  So chains through the loop, over any number of
   superblocks, cost what they cost there.  A superblock with no way back is taken to
   follow itself, with other values in the registers that a function need not keep.

   The result depends on the code alone.  */

#ifndef CALLGRIND_LOOP_CYCLES_H
#define CALLGRIND_LOOP_CYCLES_H

#include "core_version.h"

/* A superblock: `sizes` has the bytes of each of its `n` instructions from `address` on.
   Code up to `end` may be read.  */
typedef struct {
   Addr address;
   const UChar* sizes;
   UInt n;
   Addr begin, end;
} LoopCode;

/* What an access of one instruction costs besides, in hundredths of a cycle: if the first
   level misses it, if the second does, too, if the last does, and if its page is not in
   the translation buffers; and what a branch costs that is mispredicted.  */
typedef struct {
   UInt second, third, memory, walk;
   UInt mispredicted;
} LoopMiss;

/* Sets costs[i] to what instruction number i costs, in hundredths of a cycle, and
   misses[i] to what its misses cost; without misses if that is NULL.  Returns False if
   the code is not known: then each instruction costs 1.00.  */
Bool loop_cycles(const LoopCode* code, UInt* costs, LoopMiss* misses);

#endif
