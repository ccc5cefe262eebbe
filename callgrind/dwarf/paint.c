/* SPDX-License-Identifier: GPL-2.0-or-later

   See paint.h.  One walk along the addresses, with the ranges that have begun in a heap,
   the top one first.  Of those that have ended, only the top one is removed, as the
   others do no harm.  */

#include "dwarf/paint.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   const PaintedRange** ranges;
   UInt n;
} Heap;

static Bool is_above(const PaintedRange* a, const PaintedRange* b)
{
   return a->depth != b->depth ? a->depth > b->depth : a->what > b->what;
}

static void swap(const PaintedRange** a, const PaintedRange** b)
{
   const PaintedRange* kept = *a;
   *a = *b;
   *b = kept;
}

static void push(Heap* heap, const PaintedRange* range)
{
   UInt at = heap->n++;
   heap->ranges[at] = range;
   for (; at > 0 && is_above(heap->ranges[at], heap->ranges[(at - 1) / 2]);
        at = (at - 1) / 2)
      swap(&heap->ranges[at], &heap->ranges[(at - 1) / 2]);
}

static void pop(Heap* heap)
{
   heap->ranges[0] = heap->ranges[--heap->n];
   for (UInt at = 0;;) {
      UInt top = at;
      for (UInt child = 2 * at + 1; child <= 2 * at + 2 && child < heap->n; child++)
         if (is_above(heap->ranges[child], heap->ranges[top]))
            top = child;
      if (top == at)
         return;
      swap(&heap->ranges[at], &heap->ranges[top]);
      at = top;
   }
}

static Int by_start(const void* a, const void* b)
{
   const PaintedRange *first = a, *second = b;
   return first->start < second->start ? -1 : first->start > second->start;
}

PaintedSegment* paint_ranges(PaintedRange* ranges, UInt n_ranges, UInt* n_segments)
{
   /* At each start there may begin a segment, and at each end.  */
   PaintedSegment* segments =
      VG_(malloc)("dwarf.segments", (2 * (SizeT)n_ranges + 1) * sizeof *segments);
   Heap heap = {VG_(malloc)("dwarf.heap", ((SizeT)n_ranges + 1) * sizeof *heap.ranges),
                0};
   *n_segments = 0;
   if (n_ranges > 0)
      VG_(ssort)(ranges, n_ranges, sizeof *ranges, by_start);
   for (UInt next = 0; next < n_ranges || heap.n > 0;) {
      /* Where something changes next: a range begins, or the top one ends.  */
      Addr here = heap.n > 0 ? heap.ranges[0]->end : ranges[next].start;
      if (next < n_ranges && ranges[next].start < here)
         here = ranges[next].start;
      while (next < n_ranges && ranges[next].start == here)
         push(&heap, &ranges[next++]);
      while (heap.n > 0 && heap.ranges[0]->end <= here)
         pop(&heap);
      UInt what = heap.n > 0 ? heap.ranges[0]->what : PAINT_NOTHING;
      if (*n_segments == 0 || segments[*n_segments - 1].what != what)
         segments[(*n_segments)++] = (PaintedSegment){here, what};
   }
   VG_(free)(heap.ranges);
   return segments;
}

UInt paint_at(const PaintedSegment* segments, UInt n_segments, Addr address)
{
   UInt low = 0, high = n_segments;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (segments[middle].start <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 ? segments[low - 1].what : PAINT_NOTHING;
}
