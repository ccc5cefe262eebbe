/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes a part in the callgrind format; see profile_writer.h.

   Contexts are written one after another, sorted by object, file and function, so that
   two executions of the same program give the same file.  Contexts that are written
   under one name are neighbours, and are added up.  */

#include "write/profile_writer.h"

#include "guest/declarations.h"
#include "model/arc.h"
#include "model/block_cost.h"
#include "model/context.h"
#include "options/options.h"
#include "write/jump_lines.h"
#include "write/position.h"
#include "write/records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* What a reader of the file knows at the point that has been written.  */
static PositionState position;
static const Object* current_object;    /* last written with ob= */
static const SourceFile* current_file;  /* last written with fl=, fi= or fe= */
static const SourceFile* function_file; /* last written with fl= */
static const Object* called_object;     /* of the next call, as gprof2dot takes it */
static const HChar* current_inlined;    /* last written with cfni= in this function */

/*--------------------------------------------------------------------*/
/* Contexts                                                            */

static Int compare_numbers(ULong a, ULong b) { return a < b ? -1 : a > b ? 1 : 0; }

/* Objects stand in the order in which functions of theirs were counted or found on
   stacks.  Which were asked for before depends on what was translated while
   instrumentation was off.  */
static Int compare_contexts(const void* a, const void* b)
{
   const Context* c = *(const Context* const*)a;
   const Context* d = *(const Context* const*)b;
   const Function* f = c->function;
   const Function* g = d->function;
   Int order = compare_numbers(f->object->first_function, g->object->first_function);
   if (order == 0)
      order = compare_numbers(f->file->id, g->file->id);
   if (order == 0)
      order = compare_numbers(f->id, g->id);
   if (order == 0)
      order = compare_numbers(c->level, d->level);
   return order != 0 ? order : compare_numbers(c->written_as->id, d->written_as->id);
}

/* Those of one thread, or of all if `thread` is 0.  */
static XArray* sorted_contexts(UInt thread)
{
   XArray* contexts =
      VG_(newXA)(VG_(malloc), "writer.contexts", VG_(free), sizeof(Context*));
   for (Context* context = context_first(); context != NULL; context = context->next)
      if (thread == 0 || context->thread == thread)
         VG_(addToXA)(contexts, &context);
   VG_(setCmpFnXA)(contexts, compare_contexts);
   VG_(sortXA)(contexts);
   return contexts;
}

/*--------------------------------------------------------------------*/
/* Lines                                                               */

static void write_function_start(const Context* context)
{
   const Function* function = context->function;
   output_char(position.output, '\n');
   if (function->object != current_object) {
      position_object(&position, "ob", function->object);
      current_object = function->object;
      function_file = NULL;
   }
   if (function->file != function_file) {
      position_file(&position, "fl", function->file);
      function_file = current_file = function->file;
   }
   position_context(&position, "fn", context);
   position.has_base = False;
   current_inlined = "";
}

static Bool is_of_several_files(void)
{
   const SourceFile* file = records_at(0)->at.file;
   for (Word i = 1; i < records_count(); i++)
      if (records_at(i)->at.file != file)
         return True;
   return False;
}

/* The file that the function is defined in, where it begins with code of another one that
   was inlined: for callgrind_report, as a comment, which other readers pass over.  Debug
   information is read for that only if there is inlined code.  */
static void write_definition(Function* function)
{
   if (function->declared_in == NULL && !is_of_several_files())
      return;
   const SourceFile* file = declarations_of(function).file;
   if (file == function->file)
      return;
   output_text(position.output, "# defined in: ");
   output_line_text(position.output, file->path);
   output_char(position.output, '\n');
}

/* Inlined code may come from another file than the function.  */
static void write_file_change(SourceFile* file)
{
   if (file == current_file)
      return;
   position_file(&position, file == function_file ? "fe" : "fi", file);
   current_file = file;
}

/* As write_file_change(), and for the inlined function, which has no position of its
   own.  */
static void write_place_change(const SourceLine* at)
{
   write_file_change(at->file);
   const HChar* inlined = records_inlined_name(at);
   if (current_inlined == inlined || VG_(strcmp)(current_inlined, inlined) == 0)
      return;
   current_inlined = inlined;
   position_inlined(&position, inlined);
}

/* To gprof2dot a cob= holds until the next cost line of the function's own, to others for
   one call; so the object's own name may have to be written, too.  */
static void write_called_object(const Object* object)
{
   if (object == current_object && object == called_object)
      return;
   position_object(&position, "cob", object);
   called_object = object;
}

static void write_call(const Record* record, ULong calls, const ULong* inclusive)
{
   const Arc* arc = record->arc;
   const Function* callee = arc->callee->function;
   Output* output = position.output;
   write_called_object(callee->object);
   /* Readers differ in what a missing cfi= means: the function's file, or the one that
      fi= named last.  */
   if (callee->file != current_file || callee->file != function_file)
      position_file(&position, "cfi", callee->file);
   position_context(&position, "cfn", arc->callee->written_as);
   output_text(output, "calls=");
   output_decimal(output, calls);
   output_char(output, ' ');
   position_of_target(&position, arc->target.file_address, arc->target.line);
   output_char(output, '\n');
   position_of_cost(&position, record->address, record->at.line);
   position_costs(output, inclusive);
}

/* Writes the records [first, end), which are equal jumps, as one.  */
static void write_jumps(Word first, Word end)
{
   const Record* record = records_at(first);
   JumpCount sum = *record->jump;
   for (Word i = first + 1; i < end; i++) {
      const Record* part = records_at(i);
      sum.executed += part->jump->executed;
      sum.followed += part->jump->followed;
   }
   write_place_change(&record->at);
   jump_lines_write(&position, &sum, current_file);
   position_of_cost(&position, record->address, record->at.line);
   output_char(position.output, '\n');
}

/* Writes the records [first, end), which compare equal, as one.  */
static void write_records(Word first, Word end)
{
   const Record* record = records_at(first);
   if (record->jump != NULL) {
      write_jumps(first, end);
      return;
   }
   ULong sum[COST_MAX_EVENTS] = {0};
   ULong calls = 0;
   for (Word i = first; i < end; i++) {
      const Record* part = records_at(i);
      cost_add(sum, records_cost(part));
      calls += part->arc != NULL ? arc_shown_calls(part->arc) : 0;
   }
   write_place_change(&record->at);
   if (record->arc != NULL)
      write_call(record, calls, sum);
   else {
      position_of_cost(&position, record->address, record->at.line);
      position_costs(position.output, sum);
      called_object = current_object;
   }
}

/* Writes the records, which are of all contexts that are written as `context`.  */
static void write_context(const Context* context)
{
   Word n = records_count();
   if (n == 0)
      return;
   records_sort();
   write_function_start(context);
   write_definition(context->function);
   Word first = 0;
   for (Word i = 1; i <= n; i++)
      if (i == n || records_compare(records_at(first), records_at(i)) != 0) {
         write_records(first, i);
         first = i;
      }
   write_file_change(context->function->file);
}

static void write_body(UInt thread)
{
   records_begin();
   current_object = called_object = NULL;
   current_file = function_file = NULL;
   XArray* contexts = sorted_contexts(thread);
   Word n = VG_(sizeXA)(contexts);
   for (Word i = 0; i < n;) {
      Context* const* first = VG_(indexXA)(contexts, i);
      const Context* as = (*first)->written_as;
      records_clear();
      Word before = i;
      for (; i < n; i++) {
         const Context* context = *(Context**)VG_(indexXA)(contexts, i);
         if (context->written_as != as)
            break;
         records_gather(context);
      }
      records_gather_jumps(first, i - before);
      write_context(as);
   }
   VG_(deleteXA)(contexts);
   records_end();
}

void profile_writer_write(Output* output, const PartHeader* header, const ULong* total)
{
   profile_header_write(output, header, total);
   position_begin(&position, output);
   write_body(header->thread);
   position_end(&position);
   output_text(output, "\ntotals: ");
   position_costs(output, total);
}
