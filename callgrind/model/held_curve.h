/* SPDX-License-Identifier: GPL-2.0-or-later

   A curve of the bytes that are held (--collect-alloc and --timeline): what the process
   holds, over the time of the thread that allocates and frees.

   Time is cut into stretches of one width, which begin at multiples of it.  A stretch is
   there if something changed in it.  It knows the most that was held after a change, and
   what was held after the last one; that lasts until the next stretch.  When there are
   too many, the width is doubled, and neighbours are joined.  So the curve takes little
   room however long a program runs, and is the same in each run:

      n <= HELD_STRETCHES, begins rise, begin % width = 0, last <= most

   Owns its memory.  Knows nothing of threads.  */

#ifndef CALLGRIND_HELD_CURVE_H
#define CALLGRIND_HELD_CURVE_H

#include "core_version.h"
#include "pub_tool_basics.h"

#define HELD_STRETCHES 512

typedef struct {
   ULong begin;      /* in the thread's time */
   ULong most, last; /* bytes */
} HeldStretch;

typedef struct {
   ULong width; /* of a stretch; 0: nothing has been held yet */
   UInt n, capacity;
   HeldStretch* stretches;
} HeldCurve;

/* From `time` on, which is not before that of the call before, `bytes` are held.  What
   was held before the first call is not known.  */
void held_curve_add(HeldCurve* curve, ULong time, ULong bytes);

/* Gives the curve's memory back.  */
void held_curve_free(HeldCurve* curve);

#endif
