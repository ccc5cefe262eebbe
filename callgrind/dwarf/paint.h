/* SPDX-License-Identifier: GPL-2.0-or-later

   Ranges of addresses, one painted over the other: which is on top at an address?  */

#ifndef CALLGRIND_DWARF_PAINT_H
#define CALLGRIND_DWARF_PAINT_H

#include "core_version.h"

typedef struct {
   Addr start, end; /* start < end */
   UInt depth;      /* the larger one is on top; of equal ones, the later one */
   UInt what;
} PaintedRange;

#define PAINT_NOTHING (~0u)

/* From its start to that of the next one, the same is on top.  */
typedef struct {
   Addr start;
   UInt what; /* PAINT_NOTHING: no range is there */
} PaintedSegment;

/* The segments of these ranges, which are sorted by it; by `start`.  The caller frees
   them.  */
PaintedSegment* paint_ranges(PaintedRange* ranges, UInt n_ranges, UInt* n_segments);

/* What is on top at `address`.  */
UInt paint_at(const PaintedSegment* segments, UInt n_segments, Addr address);

#endif
