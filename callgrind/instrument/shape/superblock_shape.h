/* SPDX-License-Identifier: GPL-2.0-or-later

   The shape of a superblock that is about to be instrumented: by which functions it is
   divided into segments, and what each segment holds.

   A superblock may go on from one function into the next one in memory.  Each part of it,
   a segment, counts for its own function.  */

#ifndef CALLGRIND_SUPERBLOCK_SHAPE_H
#define CALLGRIND_SUPERBLOCK_SHAPE_H

#include "guest/address.h"
#include "instrument/shape/reference_plan.h"
#include "instrument/shape/superblock_cycles.h"

#include "pub_tool_tooliface.h"

/* A part of a superblock that belongs to one function: the statements [first, end), of
   which the first is an IMark.  */
typedef struct {
   UInt first, end;
   Function* function;
   Block* block;       /* the record that it is counted in */
   ReferencePlan plan; /* the references that it makes */
} Segment;

#define SEGMENTS_MAX 16

/* The function of the superblock that is translated for `key` and begins at `address`, of
   which `place` tells; `length` bytes of guest code belong to it.  Code without symbol
   and without frame information (padding, hand-written assembly, JIT code) belongs to the
   function that went on into it, if that is of the same object.  Only a call, or a jump
   from elsewhere, enters it as a function of its own.  */
Function* superblock_shape_function_of(Addr key, Addr address, SizeT length,
                                       const Place* place);

/* Divides the superblock by function.  Statement number `first` is its first IMark.  Sets
   first, end and function of each of the `segments`, which has room for SEGMENTS_MAX, and
   returns their number, at least 1.  */
UInt superblock_shape_divide(const IRSB* in, UInt first, Addr key, Segment* segments);

/* Sets `shape` to that of the segment, whose plan is known; `cycles` are those of
   `in`.  */
void superblock_shape_find(const IRSB* in, const Segment* segment,
                           const SuperblockCycles* cycles, BlockShape* shape);

#endif
