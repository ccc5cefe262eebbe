/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the inlined calls of units; see inlining.h.  Those of a unit are read when the
   first address in it is asked for.  */

#include "dwarf/inlining.h"

#include "dwarf/die.h"
#include "dwarf/paint.h"
#include "dwarf/ranges.h"
#include "dwarf/split_units.h"
#include "dwarf/units.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#define NO_CALL (~0u)

typedef struct InlinedCalls {
   Bool is_known;
   InlinedCall* calls;
   PaintedSegment* segments;
   UInt n_segments;
} InlinedCalls;

/* What is found while a unit is read.  */
typedef struct {
   InlinedCall call; /* `outer` is set at the end */
   UInt outer;
   UInt depth; /* of calls in calls */
} FoundCall;

typedef struct {
   DwarfUnit* unit;
   XArray* calls;             /* of FoundCall */
   XArray* ranges;            /* of PaintedRange, of the calls */
   UInt call_at[DIE_DEEPEST]; /* that the entry of this depth is in or is; or NO_CALL */
} Reading;

static void add_range(void* to, Addr start, Addr end)
{
   Reading* reading = to;
   UInt last = (UInt)VG_(sizeXA)(reading->calls) - 1;
   const FoundCall* found = VG_(indexXA)(reading->calls, last);
   PaintedRange range = {start, end, found->depth, last};
   VG_(addToXA)(reading->ranges, &range);
}

static void add_call(Reading* reading, const Die* die, UInt outer)
{
   FoundCall found;
   VG_(memset)(&found, 0, sizeof found);
   found.outer = outer;
   if (outer != NO_CALL)
      found.depth = 1 + ((FoundCall*)VG_(indexXA)(reading->calls, outer))->depth;
   RangeValues values;
   VG_(memset)(&values, 0, sizeof values);
   DieAttributes attributes = die_attributes(die);
   while (die_next_attribute(&attributes)) {
      ranges_note(&values, attributes.attribute, attributes.value);
      if (attributes.attribute == AtAbstractOrigin &&
          !die_reference(reading->unit, attributes.value, &found.call.file,
                         &found.call.function))
         found.call.file = NULL;
   }
   VG_(addToXA)(reading->calls, &found);
   ranges_of(reading->unit, &values, add_range, reading);
}

static Bool read_calls(Reading* reading)
{
   DieWalk walk = die_walk(reading->unit);
   Die die;
   UInt depth;
   while (die_walk_next(&walk, &die, &depth)) {
      UInt outer = depth > 0 ? reading->call_at[depth - 1] : NO_CALL;
      reading->call_at[depth] = outer;
      if (die.abbreviation.tag == TagSubprogram)
         reading->call_at[depth] = NO_CALL;
      else if (die.abbreviation.tag == TagInlinedSubroutine) {
         add_call(reading, &die, outer);
         reading->call_at[depth] = (UInt)VG_(sizeXA)(reading->calls) - 1;
      }
   }
   return !walk.failed;
}

static void keep(InlinedCalls* calls, const Reading* reading)
{
   UInt n = (UInt)VG_(sizeXA)(reading->calls);
   calls->calls = VG_(malloc)("dwarf.calls", (n + 1) * sizeof *calls->calls);
   for (UInt i = 0; i < n; i++) {
      const FoundCall* found = VG_(indexXA)(reading->calls, i);
      calls->calls[i] = found->call;
      if (found->outer != NO_CALL)
         calls->calls[i].outer = &calls->calls[found->outer];
   }
   UInt n_ranges = (UInt)VG_(sizeXA)(reading->ranges);
   PaintedRange none;
   PaintedRange* ranges = n_ranges > 0 ? VG_(indexXA)(reading->ranges, 0) : &none;
   calls->segments = paint_ranges(ranges, n_ranges, &calls->n_segments);
}

/* A skeleton may have its calls, too, in case that its other part is lost.  */
static InlinedCalls* calls_of(DwarfUnit* unit)
{
   DwarfUnit* full = split_units_full(unit);
   if (full != NULL)
      unit = full;
   if (unit->inlined_calls != NULL)
      return unit->inlined_calls;
   static Reading reading;
   reading.unit = unit;
   reading.calls = VG_(newXA)(VG_(malloc), "dwarf.found", VG_(free), sizeof(FoundCall));
   reading.ranges =
      VG_(newXA)(VG_(malloc), "dwarf.painted", VG_(free), sizeof(PaintedRange));
   InlinedCalls* calls = VG_(calloc)("dwarf.inlined", 1, sizeof *calls);
   calls->is_known = unit->abbreviations != NULL && read_calls(&reading);
   if (unit->split_name != NULL && VG_(sizeXA)(reading.calls) == 0)
      calls->is_known = False;
   keep(calls, &reading);
   VG_(deleteXA)(reading.calls);
   VG_(deleteXA)(reading.ranges);
   unit->inlined_calls = calls;
   return calls;
}

Bool inlining_at(DwarfFile* file, Addr address, InlinedCall** call)
{
   *call = NULL;
   DwarfUnit* unit = units_at_address(file, address);
   if (unit == NULL)
      return False;
   const InlinedCalls* calls = calls_of(unit);
   if (!calls->is_known)
      return False;
   UInt found = paint_at(calls->segments, calls->n_segments, address);
   if (found != PAINT_NOTHING)
      *call = &calls->calls[found];
   return True;
}
