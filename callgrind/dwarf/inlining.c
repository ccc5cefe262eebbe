/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the functions and the inlined calls of units; see inlining.h.  Those of a unit
   are read when the first address in it is asked for.  */

#include "dwarf/inlining.h"

#include "dwarf/die.h"
#include "dwarf/paint.h"
#include "dwarf/ranges.h"
#include "dwarf/scopes.h"
#include "dwarf/split_units.h"
#include "dwarf/units.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#define NO_CALL (~0u)

typedef struct InlinedCalls {
   Bool is_known;
   DwarfFile* in; /* the file that these entries are in */
   InlinedCall* calls;
   PaintedSegment* segments;
   UInt n_segments;

   ULong* functions; /* the offsets of their entries */
   PaintedSegment* function_segments;
   UInt n_function_segments;
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
   XArray* functions;         /* of ULong */
   XArray* function_ranges;   /* of PaintedRange */
   UInt call_at[DIE_DEEPEST]; /* that the entry of this depth is in or is; or NO_CALL */
} Reading;

/* Ranges that are the same but for where they are.  */
typedef struct {
   XArray* ranges; /* of PaintedRange */
   UInt depth, what;
} Alike;

static void add_range(void* to, Addr start, Addr end)
{
   const Alike* like = to;
   PaintedRange range = {start, end, like->depth, like->what};
   VG_(addToXA)(like->ranges, &range);
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
   Alike like = {reading->ranges, found.depth,
                 (UInt)VG_(addToXA)(reading->calls, &found)};
   ranges_of(reading->unit, &values, add_range, &like);
}

/* Of functions in functions, the inner one has the code.  */
static void add_function(Reading* reading, const Die* die, UInt depth)
{
   RangeValues values;
   VG_(memset)(&values, 0, sizeof values);
   DieAttributes attributes = die_attributes(die);
   while (die_next_attribute(&attributes))
      ranges_note(&values, attributes.attribute, attributes.value);
   if (values.low.form == 0 && values.list.form == 0)
      return;
   Alike like = {reading->function_ranges, depth,
                 (UInt)VG_(addToXA)(reading->functions, &die->offset)};
   ranges_of(reading->unit, &values, add_range, &like);
}

/* Names of the functions will be asked for, and with them scopes: all entries are walked
   over once for both.  */
static Bool read_calls(Reading* reading)
{
   scopes_begin();
   DieWalk walk = die_walk(reading->unit);
   Die die;
   UInt depth;
   while (die_walk_next(&walk, &die, &depth)) {
      UInt outer = depth > 0 ? reading->call_at[depth - 1] : NO_CALL;
      reading->call_at[depth] = outer;
      scopes_note(&die, depth);
      if (die.abbreviation.tag == TagSubprogram) {
         add_function(reading, &die, depth);
         reading->call_at[depth] = NO_CALL;
      } else if (die.abbreviation.tag == TagInlinedSubroutine) {
         add_call(reading, &die, outer);
         reading->call_at[depth] = (UInt)VG_(sizeXA)(reading->calls) - 1;
      }
   }
   scopes_end(reading->unit);
   return !walk.failed;
}

static PaintedSegment* painted(XArray* ranges, UInt* n_segments)
{
   UInt n = (UInt)VG_(sizeXA)(ranges);
   PaintedRange none;
   return paint_ranges(n > 0 ? VG_(indexXA)(ranges, 0) : &none, n, n_segments);
}

static void keep_functions(InlinedCalls* calls, const Reading* reading)
{
   UInt n = (UInt)VG_(sizeXA)(reading->functions);
   calls->functions = VG_(malloc)("dwarf.functions", (n + 1) * sizeof(ULong));
   for (UInt i = 0; i < n; i++)
      calls->functions[i] = *(const ULong*)VG_(indexXA)(reading->functions, i);
   calls->function_segments =
      painted(reading->function_ranges, &calls->n_function_segments);
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
   calls->segments = painted(reading->ranges, &calls->n_segments);
   keep_functions(calls, reading);
}

static void begin_reading(Reading* reading, DwarfUnit* unit)
{
   reading->unit = unit;
   reading->calls = VG_(newXA)(VG_(malloc), "dwarf.found", VG_(free), sizeof(FoundCall));
   reading->functions =
      VG_(newXA)(VG_(malloc), "dwarf.found_functions", VG_(free), sizeof(ULong));
   reading->ranges =
      VG_(newXA)(VG_(malloc), "dwarf.painted", VG_(free), sizeof(PaintedRange));
   reading->function_ranges =
      VG_(newXA)(VG_(malloc), "dwarf.painted_functions", VG_(free), sizeof(PaintedRange));
}

static void end_reading(const Reading* reading)
{
   VG_(deleteXA)(reading->calls);
   VG_(deleteXA)(reading->functions);
   VG_(deleteXA)(reading->ranges);
   VG_(deleteXA)(reading->function_ranges);
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
   begin_reading(&reading, unit);
   InlinedCalls* calls = VG_(calloc)("dwarf.inlined", 1, sizeof *calls);
   calls->is_known = unit->abbreviations != NULL && read_calls(&reading);
   calls->in = unit->file;
   if (unit->split_name != NULL && VG_(sizeXA)(reading.calls) == 0)
      calls->is_known = False;
   keep(calls, &reading);
   end_reading(&reading);
   unit->inlined_calls = calls;
   return calls;
}

/* NULL if nothing is known there.  */
static const InlinedCalls* calls_around(DwarfFile* file, Addr address)
{
   DwarfUnit* unit = units_at_address(file, address);
   const InlinedCalls* calls = unit != NULL ? calls_of(unit) : NULL;
   return calls != NULL && calls->is_known ? calls : NULL;
}

Bool inlining_at(DwarfFile* file, Addr address, InlinedCall** call)
{
   *call = NULL;
   const InlinedCalls* calls = calls_around(file, address);
   if (calls == NULL)
      return False;
   UInt found = paint_at(calls->segments, calls->n_segments, address);
   if (found != PAINT_NOTHING)
      *call = &calls->calls[found];
   return True;
}

Bool inlining_function_at(DwarfFile* file, Addr address, DwarfFile** in, ULong* offset)
{
   const InlinedCalls* calls = calls_around(file, address);
   if (calls == NULL)
      return False;
   UInt found = paint_at(calls->function_segments, calls->n_function_segments, address);
   if (found == PAINT_NOTHING)
      return False;
   *in = calls->in;
   *offset = calls->functions[found];
   return True;
}
