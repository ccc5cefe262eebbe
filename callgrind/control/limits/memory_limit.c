/* SPDX-License-Identifier: GPL-2.0-or-later

   See memory_limit.h.  A call is made to fail by the system: while it lasts, the process
   may have no more memory than it has.  The core allocates none then, since it fails.  */

#include "control/limits/memory_limit.h"

#include "base/system_filter.h"
#include "guest/memory.h"
#include "guest/memory_segments.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

/* Linux's numbers, which the core's headers do not have.  */
#define LIMIT_MEMORY 9 /* RLIMIT_AS */
#define NO_LIMIT (~0ULL)

static ULong limit = NO_LIMIT;
static Bool is_failing;         /* the call that is under way */
static struct vki_rlimit outer; /* while it does */

void memory_limit_set(ULong most) { limit = most; }

/* Calls `visit` with each segment of the program's.  */
static void for_segments(void (*visit)(const NSegment* segment))
{
   Addr* starts;
   const Int n = memory_segments(SkFileC | SkAnonC | SkShmC, &starts);
   for (Int i = 0; i < n; i++) {
      const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
      if (segment != NULL)
         visit(segment);
   }
   VG_(free)(starts);
}

/* What the program has, how much of it is in a range, and where its heap ends.  */
static struct {
   ULong total, in_range;
   Addr start, end; /* of the range */
   Addr heap_end;
} found;

static void add(const NSegment* segment)
{
   const Addr end = segment->end + 1;
   const Addr from = segment->start > found.start ? segment->start : found.start;
   const Addr to = end < found.end ? end : found.end;
   found.total += end - segment->start;
   if (from < to)
      found.in_range += to - from;
   if (segment->isCH)
      found.heap_end = end;
}

static void look(Addr start, SizeT size)
{
   found.total = found.in_range = 0;
   found.start = start;
   found.end = start + size;
   found.heap_end = ~0UL;
   for_segments(add);
}

static SizeT whole_pages(SizeT size)
{
   return (size + GUEST_MEMORY_PAGE - 1) & ~(SizeT)(GUEST_MEMORY_PAGE - 1);
}

/* How many bytes more the program will have after the call; below 0: less.  Sets
   found.total.  */
static Long growth(UInt call, const UWord* arguments)
{
   switch (call) {
   case __NR_mmap: {
      const SizeT size = whole_pages(arguments[1]);
      look(arguments[0], (arguments[3] & VKI_MAP_FIXED) != 0 ? size : 0);
      return (Long)size - (Long)found.in_range;
   }
   case __NR_mremap:
      look(0, 0);
      return (Long)whole_pages(arguments[2]) - (Long)whole_pages(arguments[1]);
   case __NR_brk: look(0, 0); return (Long)(whole_pages(arguments[0]) - found.heap_end);
   default: return 0;
   }
}

static Bool may_grow(UInt call)
{
   return call == __NR_mmap || call == __NR_mremap || call == __NR_brk;
}

void memory_limit_before_call(UInt call, const UWord* arguments)
{
   if (limit == NO_LIMIT || !may_grow(call) || system_filter_is_on())
      return;
   const Long more = growth(call, arguments);
   if (more <= 0 || (found.total <= limit && (ULong)more <= limit - found.total) ||
       VG_(getrlimit)(LIMIT_MEMORY, &outer) != 0)
      return;
   const struct vki_rlimit none = {0, outer.rlim_max};
   is_failing = VG_(setrlimit)(LIMIT_MEMORY, &none) == 0;
}

void memory_limit_after_call(void)
{
   if (is_failing)
      VG_(setrlimit)(LIMIT_MEMORY, &outer);
   is_failing = False;
}
