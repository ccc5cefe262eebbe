/* SPDX-License-Identifier: GPL-2.0-or-later

   The shape of a superblock that is about to be instrumented: its segments, the
   references that they make, and the records that count them.

   A superblock may go on from one function into the next one in memory.  Each part of it,
   a segment, counts for its own function.  */

#ifndef CALLGRIND_SUPERBLOCK_SHAPE_H
#define CALLGRIND_SUPERBLOCK_SHAPE_H

#include "instrument/reference_plan.h"

#include "pub_tool_tooliface.h"

/* A part of a superblock that belongs to one function: the statements [first, end), of
   which the first is an IMark.  */
typedef struct {
   UInt first, end;
   Function* function;
   Block* block;       /* the record that it is counted in */
   ReferencePlan plan; /* the references that it makes */
} Segment;

#define SUPERBLOCK_MAX_SEGMENTS 16

/* Fills in the segments of the superblock that is translated for guest address `key` and
   for this thread (address_bases.h), and returns their number; 0 if it holds no
   instruction.  `segments` has room for SUPERBLOCK_MAX_SEGMENTS.  Their plans are valid
   until the next call.  */
UInt superblock_shape_find(const IRSB* in, Addr key, ThreadId thread, Segment* segments);

/* Is the superblock at `key`, which was translated last, divided into segments?  */
Bool superblock_shape_is_divided(Addr key);

/* A translation of the superblock at `key`, whose guest code has not changed, is about to
   be used again; it was discarded, and is not divided.  `length` bytes of guest code
   belong to it.  False if its code is not known to be of the same function and object as
   it was: then it must be translated again.  */
Bool superblock_shape_take_up(Addr key, SizeT length);

/* The core has discarded the translation of the superblock at `key`; it `counts`, or was
   made while instrumentation was off.  */
void superblock_shape_discarded(Addr key, Bool counts);

#endif
