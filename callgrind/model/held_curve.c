/* SPDX-License-Identifier: GPL-2.0-or-later

   See held_curve.h.  */

#include "model/held_curve.h"

#include "pub_tool_mallocfree.h"

#define LEAST_CAPACITY 16

static void make_room(HeldCurve* curve)
{
   if (curve->n < curve->capacity)
      return;
   curve->capacity = curve->capacity == 0 ? LEAST_CAPACITY : 2 * curve->capacity;
   curve->stretches = VG_(realloc)("timeline.held", curve->stretches,
                                   curve->capacity * sizeof *curve->stretches);
}

static ULong begin_of(const HeldCurve* curve, ULong time)
{
   return time - time % curve->width;
}

/* Doubles the width, and joins the stretches that have become one.  */
static void widen(HeldCurve* curve)
{
   UInt n = 0;
   curve->width *= 2;
   for (UInt i = 0; i < curve->n; i++) {
      HeldStretch stretch = curve->stretches[i];
      stretch.begin = begin_of(curve, stretch.begin);
      HeldStretch* before = n > 0 ? &curve->stretches[n - 1] : NULL;
      if (before == NULL || before->begin != stretch.begin) {
         curve->stretches[n++] = stretch;
      } else {
         if (stretch.most > before->most)
            before->most = stretch.most;
         before->last = stretch.last;
      }
   }
   curve->n = n;
}

void held_curve_add(HeldCurve* curve, ULong time, ULong bytes)
{
   if (curve->width == 0)
      curve->width = 1;
   HeldStretch* last = curve->n > 0 ? &curve->stretches[curve->n - 1] : NULL;
   if (last != NULL && last->begin == begin_of(curve, time)) {
      if (bytes > last->most)
         last->most = bytes;
      last->last = bytes;
      return;
   }
   if (curve->n == HELD_STRETCHES) {
      /* The time may lie in the last one now.  Where all lie apart, once is too few.  */
      widen(curve);
      held_curve_add(curve, time, bytes);
      return;
   }
   make_room(curve);
   curve->stretches[curve->n++] =
      (HeldStretch){.begin = begin_of(curve, time), .most = bytes, .last = bytes};
}

void held_curve_free(HeldCurve* curve)
{
   VG_(free)(curve->stretches);
   *curve = (HeldCurve){0};
}
