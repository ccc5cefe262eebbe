/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_memory.h.

   Memory that the program may write as well as execute is looked at page by page, when it
   is first run.  Owns what is new, and what is shared.  */

#include "native/code_memory.h"

#include "guest/memory.h"
#include "guest/memory_segments.h"
#include "native/boundaries.h"
#include "native/fallback.h"
#include "native/sites.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#ifdef CORE_CAN_RUN_NATIVELY

typedef struct {
   Addr start, end;
} Range;

typedef struct {
   UInt n, room;
   Range* of;
} Ranges;

static PatternChoice choice_in_use;
static Bool all_is_new;
static Ranges new_ones, shared_ones;

static void add_range(Ranges* ranges, Addr start, Addr end)
{
   if (ranges->n == ranges->room) {
      ranges->room = ranges->room == 0 ? 16 : 2 * ranges->room;
      ranges->of =
         VG_(realloc)("native.ranges", ranges->of, ranges->room * sizeof *ranges->of);
   }
   ranges->of[ranges->n++] = (Range){start, end};
}

static Bool overlaps(const Range* range, Addr start, Addr end)
{
   return range->start < end && start < range->end;
}

/* What is left of a range before and behind stays in.  */
static void cut_range(Ranges* ranges, Addr start, Addr end)
{
   for (UInt i = 0; i < ranges->n; i++) {
      const Range range = ranges->of[i];
      if (!overlaps(&range, start, end))
         continue;
      ranges->of[i--] = ranges->of[--ranges->n];
      if (range.start < start)
         add_range(ranges, range.start, start);
      if (range.end > end)
         add_range(ranges, end, range.end);
   }
}

static Bool has_any(const Ranges* ranges, Addr start, Addr end)
{
   for (UInt i = 0; i < ranges->n; i++)
      if (overlaps(&ranges->of[i], start, end))
         return True;
   return False;
}

/*--------------------------------------------------------------------*/
/* What is found                                                       */

static UInt protection_of(const NSegment* segment)
{
   return (segment->hasR ? VKI_PROT_READ : 0u) | (segment->hasW ? VKI_PROT_WRITE : 0u) |
          (segment->hasX ? VKI_PROT_EXEC : 0u);
}

/* Of the memory that is looked at.  */
static UInt protection_at_hand;
static Bool plants_at_hand;

static void found(Addr at, PatternKind kind)
{
   const Boundary boundary =
      kind == PatternRequest ? BoundaryHere : native_boundary_at(at);
   if (boundary == BoundaryNone)
      return;
   if (!plants_at_hand)
      native_fallback_add(at, protection_at_hand, DoubtForEver);
   else if (boundary == BoundaryUnknown)
      native_fallback_add(at, protection_at_hand, DoubtUntilKnown);
   else if (kind == PatternRequest)
      native_fallback_add(at, protection_at_hand, DoubtUntilOften);
   else
      native_sites_add(at, protection_at_hand);
}

/* Behind the end of its file a mapping has nothing to read, which is found by reading; so
   it goes piece by piece.  */
#define PIECE 0x100000

static void look_at_piece(void* data)
{
   const Range* piece = data;
   native_patterns_find((const UChar*)piece->start, (const UChar*)piece->end,
                        choice_in_use, found);
}

static Addr readable_end(Addr start, Addr end)
{
   for (Addr at = start; at < end; at = guest_memory_page_end(at))
      if (!guest_memory_is_there(at, 1))
         return at;
   return end;
}

/* Looks at [start, end), and at what reaches into it from within the segment.  */
static void look_at(const NSegment* segment, Addr start, Addr end)
{
   const Addr first =
      start - segment->start < PATTERN_LONGEST ? segment->start : start - PATTERN_LONGEST;
   const Addr last =
      segment->end - end < PATTERN_LONGEST ? segment->end + 1 : end + PATTERN_LONGEST;
   native_sites_put_back(); /* what is planted is nothing to be found */
   protection_at_hand = protection_of(segment);
   plants_at_hand = !has_any(&shared_ones, start, end) && segment->kind != SkShmC;
   for (Addr at = first; at < last; at += PIECE) {
      Range piece = {
         at, last - at > PIECE + PATTERN_LONGEST ? at + PIECE + PATTERN_LONGEST : last};
      if (!guest_memory_is_there(piece.end - 1, 1))
         piece.end = readable_end(piece.start, piece.end);
      if (piece.end > piece.start)
         guest_memory_try(look_at_piece, &piece);
   }
}

static Bool is_programs(const NSegment* segment)
{
   return segment->kind == SkFileC || segment->kind == SkAnonC || segment->kind == SkShmC;
}

static void look_at_new(Addr start, Addr end)
{
   while (start < end) {
      const NSegment* segment = VG_(am_find_nsegment)(start);
      if (segment == NULL)
         return;
      const Addr stop = segment->end + 1 < end ? segment->end + 1 : end;
      if (is_programs(segment) && segment->hasX) {
         if (segment->hasW)
            native_fallback_until_run(start, stop - start, protection_of(segment));
         else
            look_at(segment, start, stop);
      }
      if (stop == 0)
         return;
      start = stop;
   }
}

static void look_at_all(void)
{
   Addr* starts;
   const Int n = memory_segments(SkFileC | SkAnonC | SkShmC, &starts);
   for (Int i = 0; i < n; i++) {
      const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
      if (segment != NULL)
         look_at_new(segment->start, segment->end + 1);
   }
   VG_(free)(starts);
}

static void look_at_what_is_new(void)
{
   if (all_is_new)
      look_at_all();
   all_is_new = False;
   for (UInt i = 0; i < new_ones.n; i++)
      look_at_new(new_ones.of[i].start, new_ones.of[i].end);
   new_ones.n = 0;
}

/* A page that is about to run for the first time.  */
static void look_at_page(Addr at)
{
   const NSegment* segment = VG_(am_find_nsegment)(at);
   native_fallback_run(at);
   if (segment != NULL && is_programs(segment) && segment->hasX)
      look_at(segment, VG_PGROUNDDN(at), guest_memory_page_end(at));
}

Bool native_code_may_run(Addr at)
{
   enum { LongestInstruction = 15 };
   if (UNLIKELY(all_is_new || new_ones.n != 0))
      look_at_what_is_new();
   native_fallback_settle(native_sites_add);
   while (UNLIKELY(native_fallback_at(at) == FallbackUntilRun)) {
      look_at_page(at);
      look_at_page(at + LongestInstruction - 1);
   }
   return native_fallback_at(at) == NotFallback && !native_sites_has(at);
}

Bool native_code_is_private_file(Addr at, UInt* protection)
{
   const NSegment* segment = VG_(am_find_nsegment)(at);
   if (segment == NULL || segment->kind != SkFileC || !segment->hasX || segment->hasW ||
       has_any(&shared_ones, at, at + 1))
      return False;
   *protection = protection_of(segment);
   return True;
}

/*--------------------------------------------------------------------*/
/* Changes                                                             */

void native_code_init(PatternChoice choice)
{
   choice_in_use = choice;
   all_is_new = True;
}

static void forget(Addr start, SizeT size)
{
   native_sites_forget(start, size);
   native_fallback_forget(start, size);
   cut_range(&new_ones, start, start + size);
}

void native_code_mapped(Addr start, SizeT size, Bool executable, Bool is_shared)
{
   forget(start, size);
   cut_range(&shared_ones, start, start + size);
   if (is_shared)
      add_range(&shared_ones, start, start + size);
   if (executable)
      add_range(&new_ones, start, start + size);
}

void native_code_unmapped(Addr start, SizeT size)
{
   forget(start, size);
   cut_range(&shared_ones, start, start + size);
}

void native_code_moved(Addr from, Addr to, SizeT size)
{
   native_sites_moved(from, to, size);
   if (has_any(&shared_ones, from, from + size))
      add_range(&shared_ones, to, to + size);
   native_fallback_forget(from, size);
   add_range(&new_ones, to, to + size);
}

void native_code_protected(Addr start, SizeT size, Bool executable)
{
   const NSegment* segment = VG_(am_find_nsegment)(start);
   if (segment != NULL)
      native_sites_give_back(start, size, protection_of(segment));
   native_fallback_forget(start, size);
   cut_range(&new_ones, start, start + size);
   if (executable)
      add_range(&new_ones, start, start + size);
}

#endif
