/* SPDX-License-Identifier: GPL-2.0-or-later

   Segments; see superblock_shape.h.

   Owns the shape of the segment that is being recorded.  */

#include "instrument/superblock_shape.h"

#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "instrument/cold_code.h"
#include "instrument/jumps.h"
#include "instrument/references.h"
#include "instrument/static_events.h"
#include "instrument/superblock_cycles.h"
#include "model/arc_targets.h"
#include "model/calltree.h"
#include "model/context.h"
#include "model/jump.h"
#include "options/options.h"
#include "stack/callstack.h"
#include "stack/recent_contexts.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

/* The segment whose record is made.  Static, and used again for the next one, since it is
   too large for the core's stack.  */
static BlockShape shape;

/* The function of the superblock that begins at `address`.  Code without symbol and
   without frame information (padding, hand-written assembly, JIT code) belongs to the
   function that went on into it, if that is of the same object.  Only a call, or a jump
   from elsewhere, enters it as a function of its own.  */
static Function* function_of(Addr key, Addr address, SizeT length, const Place* place)
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

static void add_instruction(const IRStmt* mark)
{
   tl_assert(shape.n_instructions < BLOCK_MAX_INSTRUCTIONS);
   SourceLine at = address_line_of((Addr)mark->Ist.IMark.addr);
   StoredLine line = symbols_store_line(&at);
   LineSpan* last = shape.n_spans > 0 ? &shape.spans[shape.n_spans - 1] : NULL;
   if (last == NULL || !stored_line_is_same(&last->line, &line)) {
      LineSpan* span = &shape.spans[shape.n_spans++];
      span->line = line;
      span->first = shape.n_instructions;
   }
   shape.sizes[shape.n_instructions++] = (UChar)mark->Ist.IMark.len;
}

/* Adds the static events of statement number `i`.  */
static void add_events(const IRSB* in, const ReferencePlan* plan, UInt i)
{
   UInt n = static_events_in(in, plan, i, shape.events + shape.n_events);
   tl_assert(shape.n_events + n <= BLOCK_MAX_EVENTS - STATIC_EVENTS_MAX);
   for (; n > 0; n--) {
      StaticEvent* event = &shape.events[shape.n_events++];
      event->instruction = (UShort)(shape.n_instructions - 1);
      event->run = (UShort)shape.n_runs;
   }
}

/* With --call-tree: gives each inlined function its slot before generated code uses
   it.  */
static void make_inlined_slots(void)
{
   for (UInt span = 0; span < shape.n_spans && options.call_tree; span++) {
      const Inlined* inlined = block_line_of(&shape.spans[span]).inlined;
      if (inlined != NULL)
         calltree_inlined_slot(shape.function, inlined);
   }
}

/* With --call-tree: 1 + the slot of the inlined function that the instruction belongs to;
   0 if there is none.  */
static UInt inlined_slot_of(UInt instruction)
{
   if (!options.call_tree)
      return 0;
   UInt span = 0;
   while (span + 1 < shape.n_spans && shape.spans[span + 1].first <= instruction)
      span++;
   const Inlined* inlined = block_line_of(&shape.spans[span]).inlined;
   return inlined != NULL ? calltree_inlined_slot(shape.function, inlined) + 1 : 0;
}

static void add_references(const ReferencePlan* plan, UInt first)
{
   shape.n_references = plan->n;
   shape.n_outcomes = 0;
   for (UInt i = 0; i < plan->n; i++) {
      shape.references[i] = plan->references[i];
      shape.references[i].inlined = inlined_slot_of(plan->references[i].instruction);
      VG_(memset)(shape.references[i].late, 0, sizeof shape.references[i].late);
      if (cost_is_counted(EventCy))
         superblock_cycles_set_late(&shape.references[i], first);
      shape.n_outcomes += reference_n_outcomes(&plan->references[i]);
   }
}

/* A straight run ends here, unless there has been nothing since the last one.  */
static void end_run(void)
{
   UInt begin = shape.n_runs == 0 ? 0 : shape.run_ends[shape.n_runs - 1];
   Bool has_events =
      shape.n_events > 0 && shape.events[shape.n_events - 1].run == shape.n_runs;
   if (shape.n_instructions > begin || has_events) {
      tl_assert(shape.n_runs < BLOCK_MAX_RUNS);
      shape.run_ends[shape.n_runs++] = (UShort)shape.n_instructions;
   }
}

/* Sets `shape` to that of the segment.  */
static void find_shape(const IRSB* in, const Segment* segment)
{
   Addr address = mark_address(in, segment->first);
   Place place = address_place_of(address);
   shape.function = segment->function;
   shape.address = address;
   shape.file_address = place.file_address;
   shape.n_runs = shape.n_instructions = shape.n_spans = 0;
   shape.n_jumps = shape.n_events = 0;
   for (UInt i = segment->first; i < segment->end; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag == Ist_IMark)
         add_instruction(statement);
      add_events(in, &segment->plan, i);
      if (statement->tag == Ist_Exit)
         end_run();
   }
   add_events(in, &segment->plan, segment->end);
   end_run();
   make_inlined_slots();
   add_references(&segment->plan, segment->first);
   jumps_find(in, segment->first, segment->end, &shape);
}

/* Blocks of all segments but the first have keys that are not guest addresses.  */
static Addr segment_key(Addr key, UInt index)
{
   return index == 0 ? key : ~(key * SUPERBLOCK_MAX_SEGMENTS + index);
}

/* The record that counts the segment.  */
static Block* block_of_segment(const IRSB* in, const Segment* segment, Addr key)
{
   find_shape(in, segment);
   Block* retired;
   Block* block = block_intern(key, &shape, &retired);
   if (retired != NULL) {
      jump_retire_block(retired);
      context_retire_block(retired);
      recent_contexts_after_retiring(retired);
      cold_code_retire_block(retired);
      if (retired->function != block->function)
         arc_forget_target(key);
      block_free(retired);
   }
   context_note_block(block);
   context_make_room(block->function);
   return block;
}

/* Divides the superblock by function; returns the number of segments.  */
static UInt divide(const IRSB* in, UInt first, Addr key, Segment* segments)
{
   UInt last = first;
   for (UInt i = first; i < (UInt)in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_IMark)
         last = i;
   Addr start = mark_address(in, first);
   Place place = address_place_of(start);
   Addr end = mark_address(in, last) + in->stmts[last]->Ist.IMark.len;
   Function* function =
      function_of(key, start, end > start ? (SizeT)(end - start) : 0, &place);
   segments[0].first = first;
   segments[0].function = function;
   UInt n = 1;
   /* A function is one piece of memory.  So if the last instruction belongs to it, all
      do, as nearly always.  */
   if (function_after(function, mark_address(in, last)) != function)
      for (UInt i = first + 1; i <= last && n < SUPERBLOCK_MAX_SEGMENTS; i++) {
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

UInt superblock_shape_find(const IRSB* in, Addr key, ThreadId thread, Segment* segments)
{
   UInt first = 0;
   while (first < (UInt)in->stmts_used && in->stmts[first]->tag != Ist_IMark)
      first++;
   if (first == (UInt)in->stmts_used)
      return 0;
   UInt n = divide(in, first, key, segments);
   references_begin(in, thread);
   if (cost_is_counted(EventCy))
      superblock_cycles_find(in);
   for (UInt i = 0; i < n; i++) {
      Segment* segment = &segments[i];
      Addr own_key = segment_key(key, i);
      segment->plan =
         references_find(in, segment->first, segment->end, block_at(own_key));
      segment->block = block_of_segment(in, segment, own_key);
   }
   return n;
}

Bool superblock_shape_is_divided(Addr key)
{
   const Block* second = block_at(segment_key(key, 1));
   return second != NULL && second->is_translated;
}

Bool superblock_shape_take_up(Addr key, SizeT length)
{
   Block* block = block_at(key);
   Place place = address_place_of(block->address);
   Bool is_same = address_is_jit_code(&place)
                     ? function_of(key, block->address, length, &place) == block->function
                     : place.object == block->function->object &&
                          place.file_address == block->file_address;
   block->is_translated = is_same;
   return is_same;
}

void superblock_shape_discarded(Addr key, Bool counts)
{
   const Function* function = block_function_at(key);
   if (function != NULL)
      jit_functions_discarded(function);
   for (UInt i = 0; i < SUPERBLOCK_MAX_SEGMENTS && counts; i++)
      if (!block_translation_discarded(segment_key(key, i)))
         break;
}
