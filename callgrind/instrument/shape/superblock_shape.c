/* SPDX-License-Identifier: GPL-2.0-or-later

   See superblock_shape.h.  Keeps nothing.  */

#include "instrument/shape/superblock_shape.h"

#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "instrument/shape/jumps.h"
#include "instrument/shape/static_events.h"
#include "model/tree/calltree.h"
#include "options/options.h"
#include "stack/following/callstack.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

Function* superblock_shape_function_of(Addr key, Addr address, SizeT length,
                                       const Place* place)
{
   Function* function = address_function_of(address, place);
   if (function != NULL)
      return function;
   Function* before = block_function_at(key);
   if (before != NULL && before->object == place->object &&
       jit_functions_is_still(before, address))
      return before;
   Function* continuing = callstack_continuing_function();
   if (continuing != NULL && continuing->object == place->object &&
       continuing->kind != FunctionPlt && jit_functions_is_continued(continuing, address))
      return continuing;
   return address_is_jit_code(place) ? jit_functions_entered_at(address, length, place)
                                     : address_unbounded_function(address, place);
}

static Addr mark_address(const IRSB* in, UInt i)
{
   return (Addr)in->stmts[i]->Ist.IMark.addr;
}

/* The function that the instruction at `address` belongs to, if that is known; otherwise
   `running`, which goes on there.  (Stubs are not told apart.)  */
static Function* function_after(Function* running, Addr address)
{
   Place place = address_place_of(address);
   Function* function = address_function_of(address, &place);
   return function != NULL && !place.is_plt ? function : running;
}

static void add_instruction(BlockShape* shape, const IRStmt* mark)
{
   tl_assert(shape->n_instructions < BLOCK_MAX_INSTRUCTIONS);
   SourceLine at = address_line_of((Addr)mark->Ist.IMark.addr);
   StoredLine line = symbols_store_line(&at);
   LineSpan* last = shape->n_spans > 0 ? &shape->spans[shape->n_spans - 1] : NULL;
   if (last == NULL || !stored_line_is_same(&last->line, &line)) {
      LineSpan* span = &shape->spans[shape->n_spans++];
      span->line = line;
      span->first = shape->n_instructions;
   }
   shape->sizes[shape->n_instructions++] = (UChar)mark->Ist.IMark.len;
}

/* Adds the static events of statement number `i`.  */
static void add_events(BlockShape* shape, const IRSB* in, const ReferencePlan* plan,
                       const SuperblockCycles* cycles, UInt i)
{
   UInt n = static_events_in(in, plan, cycles, i, shape->events + shape->n_events);
   tl_assert(shape->n_events + n <= BLOCK_MAX_EVENTS - STATIC_EVENTS_MAX);
   for (; n > 0; n--) {
      StaticEvent* event = &shape->events[shape->n_events++];
      event->instruction = (UShort)(shape->n_instructions - 1);
      event->run = (UShort)shape->n_runs;
   }
}

/* With --call-tree: gives each inlined function its slot before generated code uses
   it.  */
static void make_inlined_slots(const BlockShape* shape)
{
   for (UInt span = 0; span < shape->n_spans && options.call_tree; span++) {
      const Inlined* inlined = block_line_of(&shape->spans[span]).inlined;
      if (inlined != NULL)
         calltree_inlined_slot(shape->function, inlined);
   }
}

/* With --call-tree: 1 + the slot of the inlined function that the instruction belongs to;
   0 if there is none.  */
static UInt inlined_slot_of(const BlockShape* shape, UInt instruction)
{
   if (!options.call_tree)
      return 0;
   UInt span = 0;
   while (span + 1 < shape->n_spans && shape->spans[span + 1].first <= instruction)
      span++;
   const Inlined* inlined = block_line_of(&shape->spans[span]).inlined;
   return inlined != NULL ? calltree_inlined_slot(shape->function, inlined) + 1 : 0;
}

static void add_references(BlockShape* shape, const ReferencePlan* plan,
                           const SuperblockCycles* cycles, UInt first)
{
   shape->n_references = plan->n;
   shape->n_outcomes = 0;
   for (UInt i = 0; i < plan->n; i++) {
      shape->references[i] = plan->references[i];
      shape->references[i].inlined =
         inlined_slot_of(shape, plan->references[i].instruction);
      VG_(memset)(shape->references[i].late, 0, sizeof shape->references[i].late);
      if (cost_is_counted(EventCy))
         superblock_cycles_set_late(cycles, &shape->references[i], first);
      shape->n_outcomes += reference_n_outcomes(&plan->references[i]);
   }
}

/* A straight run ends here, unless there has been nothing since the last one.  */
static void end_run(BlockShape* shape)
{
   UInt begin = shape->n_runs == 0 ? 0 : shape->run_ends[shape->n_runs - 1];
   Bool has_events =
      shape->n_events > 0 && shape->events[shape->n_events - 1].run == shape->n_runs;
   if (shape->n_instructions > begin || has_events) {
      tl_assert(shape->n_runs < BLOCK_MAX_RUNS);
      shape->run_ends[shape->n_runs++] = (UShort)shape->n_instructions;
   }
}

void superblock_shape_find(const IRSB* in, const Segment* segment,
                           const SuperblockCycles* cycles, BlockShape* shape)
{
   Addr address = mark_address(in, segment->first);
   Place place = address_place_of(address);
   shape->function = segment->function;
   shape->address = address;
   shape->file_address = place.file_address;
   shape->n_runs = shape->n_instructions = shape->n_spans = 0;
   shape->n_jumps = shape->n_events = 0;
   for (UInt i = segment->first; i < segment->end; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag == Ist_IMark)
         add_instruction(shape, statement);
      add_events(shape, in, &segment->plan, cycles, i);
      if (statement->tag == Ist_Exit)
         end_run(shape);
   }
   add_events(shape, in, &segment->plan, cycles, segment->end);
   end_run(shape);
   make_inlined_slots(shape);
   add_references(shape, &segment->plan, cycles, segment->first);
   jumps_find(in, segment->first, segment->end, shape);
}

UInt superblock_shape_divide(const IRSB* in, UInt first, Addr key, Segment* segments)
{
   UInt last = first;
   for (UInt i = first; i < (UInt)in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_IMark)
         last = i;
   Addr start = mark_address(in, first);
   Place place = address_place_of(start);
   Addr end = mark_address(in, last) + in->stmts[last]->Ist.IMark.len;
   Function* function = superblock_shape_function_of(
      key, start, end > start ? (SizeT)(end - start) : 0, &place);
   segments[0].first = first;
   segments[0].function = function;
   UInt n = 1;
   /* A function is one piece of memory.  So if the last instruction belongs to it, all
      do, as nearly always.  */
   if (function_after(function, mark_address(in, last)) != function)
      for (UInt i = first + 1; i <= last && n < SEGMENTS_MAX; i++) {
         if (in->stmts[i]->tag != Ist_IMark)
            continue;
         Function* next = function_after(function, mark_address(in, i));
         if (next == function)
            continue;
         segments[n - 1].end = i;
         segments[n].first = i;
         segments[n].function = function = next;
         n++;
      }
   segments[n - 1].end = (UInt)in->stmts_used;
   return n;
}
