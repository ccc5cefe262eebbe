/* SPDX-License-Identifier: GPL-2.0-or-later

   The callgrind format; see profile_writer.h.

   One context at a time: its costs and arcs are gathered as records, sorted by
   position, and written with equal positions added up.  Contexts come sorted by
   object, file and function, so that two runs of the same program give the same
   file.  */

#include "write/profile_writer.h"

#include "model/arc.h"
#include "model/block_cost.h"
#include "model/context.h"
#include "options/options.h"
#include "write/jump_lines.h"
#include "write/position.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* A cost at a position of the context being written, or an arc or jump from there.  */
typedef struct {
   SourceLine at;
   Bool is_foreign;       /* `file` is not the function's own */
   Addr address;          /* 0 unless addresses are dumped */
   const Arc* arc;        /* NULL: a self cost or a jump */
   UInt cost_index;       /* self cost: index of its vector in the pool */
   const JumpCount* jump; /* NULL: a self cost or an arc */
} Record;

static XArray* records;    /* of Record */
static XArray* kept_jumps; /* of JumpCount*: those that records name */
static ULong* cost_pool;   /* vectors, cost_n_events() each */
static UInt cost_pool_used, cost_pool_size;

/*--------------------------------------------------------------------*/
/* Gathering                                                           */

static ULong* pool_vector(UInt index)
{
   return &cost_pool[(SizeT)index * cost_n_events()];
}

static UInt new_vector(void)
{
   if (cost_pool_used == cost_pool_size) {
      cost_pool_size = cost_pool_size == 0 ? 256 : cost_pool_size * 2;
      cost_pool = VG_(realloc)("writer.costs", cost_pool,
                               (SizeT)cost_pool_size * cost_n_events() * sizeof(ULong));
   }
   cost_zero(pool_vector(cost_pool_used));
   return cost_pool_used++;
}

static Record* add_record(const Context* context, SourceLine at, Addr address)
{
   Record record = {
      at,  at.file != context->function->file, options.dump_instr ? address : 0, NULL, 0,
      NULL};
   VG_(addToXA)(records, &record);
   return VG_(indexXA)(records, VG_(sizeXA)(records) - 1);
}

static void add_cost(const Context* context, SourceLine at, Addr address,
                     const ULong* cost)
{
   Record* record = add_record(context, at, address);
   record->cost_index = new_vector();
   cost_copy(pool_vector(record->cost_index), cost);
}

static void gather_block(const Context* context, const Block* block)
{
   const ULong* counts = context->counters + block->slot;
   ULong cost[COST_MAX_EVENTS];
   Bool is_new_line = True;
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, counts, cost)) {
      is_new_line |= walk.is_new_span;
      if (cost_is_zero(cost))
         continue;
      if (is_new_line || options.dump_instr)
         add_cost(context, block_line_of(walk.span), walk.file_address, cost);
      else
         cost_add(pool_vector(cost_pool_used - 1), cost);
      is_new_line = False;
   }
}

static void gather_retired(const Context* context)
{
   if (context->retired == NULL)
      return;
   VG_(HT_ResetIter)(context->retired);
   const RetiredCost* retired;
   while ((retired = VG_(HT_Next)(context->retired)) != NULL)
      add_cost(context, retired->line, retired->file_address, retired->cost);
}

static void gather_arcs(const Context* context)
{
   for (const Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller) {
      if (arc->calls == 0 && cost_is_zero(arc->inclusive))
         continue;
      const CallSite* site = arc->site;
      if (arc->callee == NULL)
         add_cost(context, callsite_line(site), site->file_address, arc->inclusive);
      else
         add_record(context, callsite_line(site), site->file_address)->arc = arc;
   }
}

/* A copy that lasts until the next function is gathered.  */
static const JumpCount* keep_jump(const JumpCount* jump)
{
   JumpCount* copy = VG_(malloc)("writer.jump", sizeof *copy);
   *copy = *jump;
   VG_(addToXA)(kept_jumps, &copy);
   return copy;
}

static void forget_jumps(void)
{
   for (Word i = 0; i < VG_(sizeXA)(kept_jumps); i++)
      VG_(free)(*(JumpCount**)VG_(indexXA)(kept_jumps, i));
   VG_(dropTailXA)(kept_jumps, VG_(sizeXA)(kept_jumps));
}

/* Of all contexts that are written as one: a jump that one has followed was executed by
   the others, too.  */
static void gather_jumps(Context* const* contexts, Word n_contexts)
{
   UInt n;
   const JumpCount* jumps = jump_counts_of(contexts, (UInt)n_contexts, &n);
   for (UInt i = 0; i < n; i++)
      if (jump_lines_say_something(&jumps[i]))
         add_record(contexts[0], jumps[i].line, jumps[i].file_address)->jump =
            keep_jump(&jumps[i]);
}

static void forget_records(void)
{
   VG_(dropTailXA)(records, VG_(sizeXA)(records));
   cost_pool_used = 0;
   forget_jumps();
}

/* Adds the records of one context, unsorted, but for those of jumps.  */
static void gather(const Context* context)
{
   for (const Block* block = block_first_of(context->function); block != NULL;
        block = block->next_of_function)
      gather_block(context, block);
   gather_retired(context);
   gather_arcs(context);
}

/*--------------------------------------------------------------------*/
/* Order                                                               */

static Int compare_numbers(ULong a, ULong b) { return a < b ? -1 : a > b ? 1 : 0; }

/* The innermost inlined function; "" if the code is its function's own.  */
static const HChar* inlined_name(const SourceLine* at)
{
   return at->inlined != NULL ? at->inlined->name : "";
}

/* By address if there are addresses, otherwise by line, those of the function's
   own file first.  */
static Int compare_positions(const Record* a, const Record* b)
{
   Int order = compare_numbers(a->address, b->address);
   if (order == 0)
      order = compare_numbers(a->is_foreign, b->is_foreign);
   if (order == 0)
      order = compare_numbers(a->at.file->id, b->at.file->id);
   if (order == 0)
      order = compare_numbers(a->at.line, b->at.line);
   if (order == 0 && a->at.inlined != b->at.inlined)
      order = VG_(strcmp)(inlined_name(&a->at), inlined_name(&b->at));
   return order;
}

/* Self cost comes before calls from the same position.  Two arcs are alike if
   what is written of them is.  */
static Int compare_arcs(const Arc* a, const Arc* b)
{
   if (a == NULL || b == NULL)
      return compare_numbers(a != NULL, b != NULL);
   Int order = compare_numbers(a->callee->written_as->id, b->callee->written_as->id);
   if (order == 0)
      order = compare_numbers(a->target.line, b->target.line);
   if (order == 0 && options.dump_instr)
      order = compare_numbers(a->target.file_address, b->target.file_address);
   return order;
}

static Int compare_records(const void* a, const void* b)
{
   const Record* r = a;
   const Record* s = b;
   Int order = compare_positions(r, s);
   if (order == 0)
      order = jump_lines_compare(r->jump, s->jump);
   return order != 0 ? order : compare_arcs(r->arc, s->arc);
}

static Int compare_contexts(const void* a, const void* b)
{
   const Context* c = *(const Context* const*)a;
   const Context* d = *(const Context* const*)b;
   const Function* f = c->function;
   const Function* g = d->function;
   Int order = compare_numbers(f->object->id, g->object->id);
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
/* Body                                                                */

static PositionState position;
static const Object* current_object;    /* last written with ob= */
static const SourceFile* current_file;  /* last written with fl=, fi= or fe= */
static const SourceFile* function_file; /* last written with fl= */
static const HChar* current_inlined;    /* last written with cfni= in this function */

/* "1 2 3\n", without trailing zeros.  */
static void write_costs(Output* output, const ULong* cost)
{
   UInt n = cost_n_events();
   while (n > 1 && cost[n - 1] == 0)
      n--;
   for (UInt e = 0; e < n; e++) {
      if (e > 0)
         output_char(output, ' ');
      output_decimal(output, cost[e]);
   }
   output_char(output, '\n');
}

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

/* Source lines may be from another file than the function: inlined code.  */
static void write_file_change(SourceFile* file)
{
   if (file == current_file)
      return;
   position_file(&position, file == function_file ? "fe" : "fi", file);
   current_file = file;
}

/* The same for inlined functions, which have no file or position of their own.  */
static void write_place_change(const SourceLine* at)
{
   write_file_change(at->file);
   const HChar* inlined = inlined_name(at);
   if (current_inlined == inlined || VG_(strcmp)(current_inlined, inlined) == 0)
      return;
   current_inlined = inlined;
   output_text(position.output, "cfni=");
   output_text(position.output, inlined[0] != '\0' ? inlined : "???");
   output_char(position.output, '\n');
}

static void write_call(const Record* record, ULong calls, const ULong* inclusive)
{
   const Arc* arc = record->arc;
   const Function* callee = arc->callee->function;
   Output* output = position.output;
   if (callee->object != current_object)
      position_object(&position, "cob", callee->object);
   /* Readers differ in what a missing cfi= means: the function's file, or the
      one that fi= named last.  */
   if (callee->file != current_file || callee->file != function_file)
      position_file(&position, "cfi", callee->file);
   position_context(&position, "cfn", arc->callee->written_as);
   output_text(output, "calls=");
   output_decimal(output, calls);
   output_char(output, ' ');
   position_of_target(&position, arc->target.file_address, arc->target.line);
   output_char(output, '\n');
   position_of_cost(&position, record->address, record->at.line);
   write_costs(output, inclusive);
}

/* Writes the records [first, end), which are of jumps that look alike, as one.  */
static void write_jumps(Word first, Word end)
{
   const Record* record = VG_(indexXA)(records, first);
   JumpCount sum = *record->jump;
   for (Word i = first + 1; i < end; i++) {
      const Record* part = VG_(indexXA)(records, i);
      sum.executed += part->jump->executed;
      sum.followed += part->jump->followed;
   }
   write_place_change(&record->at);
   jump_lines_write(&position, &sum, current_file);
   position_of_cost(&position, record->address, record->at.line);
   output_char(position.output, '\n');
}

/* Writes the records [first, end), which differ in cost only, as one.  */
static void write_records(Word first, Word end)
{
   const Record* record = VG_(indexXA)(records, first);
   if (record->jump != NULL) {
      write_jumps(first, end);
      return;
   }
   ULong sum[COST_MAX_EVENTS] = {0};
   ULong calls = 0;
   for (Word i = first; i < end; i++) {
      const Record* part = VG_(indexXA)(records, i);
      cost_add(sum,
               part->arc != NULL ? part->arc->inclusive : pool_vector(part->cost_index));
      calls += part->arc != NULL ? part->arc->calls : 0;
   }
   write_place_change(&record->at);
   if (record->arc != NULL)
      write_call(record, calls, sum);
   else {
      position_of_cost(&position, record->address, record->at.line);
      write_costs(position.output, sum);
   }
}

/* Writes what has been gathered of the contexts that are written as `context`.  */
static void write_context(const Context* context)
{
   Word n = VG_(sizeXA)(records);
   if (n == 0)
      return;
   VG_(sortXA)(records);
   write_function_start(context);
   Word first = 0;
   for (Word i = 1; i <= n; i++)
      if (i == n ||
          compare_records(VG_(indexXA)(records, first), VG_(indexXA)(records, i)) != 0) {
         write_records(first, i);
         first = i;
      }
   write_file_change(context->function->file);
}

static void write_body(UInt thread)
{
   kept_jumps = VG_(newXA)(VG_(malloc), "writer.jumps", VG_(free), sizeof(JumpCount*));
   records = VG_(newXA)(VG_(malloc), "writer.records", VG_(free), sizeof(Record));
   VG_(setCmpFnXA)(records, compare_records);
   current_object = NULL;
   current_file = function_file = NULL;
   XArray* contexts = sorted_contexts(thread);
   Word n = VG_(sizeXA)(contexts);
   for (Word i = 0; i < n;) {
      Context* const* first = VG_(indexXA)(contexts, i);
      const Context* as = (*first)->written_as;
      forget_records();
      Word before = i;
      for (; i < n; i++) {
         const Context* context = *(Context**)VG_(indexXA)(contexts, i);
         if (context->written_as != as)
            break;
         gather(context);
      }
      gather_jumps(first, i - before);
      write_context(as);
   }
   forget_records();
   VG_(deleteXA)(contexts);
   VG_(deleteXA)(records);
   VG_(deleteXA)(kept_jumps);
   VG_(free)(cost_pool);
   cost_pool = NULL;
   cost_pool_used = cost_pool_size = 0;
}

/*--------------------------------------------------------------------*/
/* Header                                                              */

static void write_line(Output* output, const HChar* key, const HChar* value)
{
   output_text(output, key);
   output_text(output, value);
   output_char(output, '\n');
}

/* A line break in a user's text would make two lines of one.  */
static void write_words(Output* output, const HChar* text)
{
   for (; *text != '\0'; text++)
      output_char(output, *text == '\n' || *text == '\r' ? ' ' : *text);
}

/* Without simulated caches the lines are there all the same, with nothing said.  */
static void write_caches(Output* output)
{
   static const HChar* const names[CACHES] = {"I1", "D1", "LL"};
   for (UInt i = 0; i < CACHES; i++) {
      const CacheGeometry* cache = &options.caches[i];
      HChar text[96] = "";
      if (options.cache_sim)
         VG_(sprintf)(text,
                      cache->ways == 1 ? "%u B, %u B, direct-mapped"
                                       : "%u B, %u B, %u-way associative",
                      cache->size, cache->line_size, cache->ways);
      output_text(output, "desc: ");
      output_text(output, names[i]);
      write_line(output, " cache: ", text);
   }
   output_char(output, '\n');
}

static void write_text(Output* output, const HChar* text)
{
   write_words(output, text);
   output_char(output, '\n');
}

static void write_command(Output* output)
{
   output_text(output, "cmd:  ");
   write_words(output, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      output_char(output, ' ');
      write_words(output, *(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   output_char(output, '\n');
}

static void write_program(Output* output)
{
   output_text(output, "pid: ");
   output_decimal(output, (ULong)VG_(getpid)());
   output_char(output, '\n');
   write_command(output);
}

static void write_file_start(Output* output)
{
   output_text(output, "# callgrind format\nversion: 1\n");
   write_line(output,
              "creator: ", "callgrind-exact-" CT_VERSION " (Valgrind " CORE_VERSION ")");
   write_program(output);
}

static void write_events(Output* output)
{
   for (UInt e = 0; e < cost_n_events(); e++) {
      const HChar* text = cost_event_text(e);
      if (text == NULL)
         continue;
      output_text(output, "event: ");
      output_text(output, cost_event_name(e));
      output_text(output, " : ");
      write_line(output, text, "");
   }
   output_text(output, "events:");
   for (UInt e = 0; e < cost_n_events(); e++) {
      output_char(output, ' ');
      output_text(output, cost_event_name(e));
   }
   output_char(output, '\n');
}

static void write_header(Output* output, const PartHeader* header, const ULong* total)
{
   if (header->opens_file)
      write_file_start(output);
   else
      output_char(output, '\n');
   if (header->opens_program && !header->opens_file)
      write_program(output);
   output_text(output, "part: ");
   output_decimal(output, header->part);
   output_char(output, '\n');
   for (Word i = 0; i < VG_(sizeXA)(header->spawned); i++) {
      output_text(output, "desc: Spawned pid: ");
      output_decimal(output, (ULong) * (const Int*)VG_(indexXA)(header->spawned, i));
      output_char(output, '\n');
   }
   for (Word i = 0; i < VG_(sizeXA)(header->descriptions); i++) {
      output_text(output, "desc: ");
      write_text(output, *(const HChar**)VG_(indexXA)(header->descriptions, i));
   }
   if (header->thread != 0) {
      output_text(output, "thread: ");
      output_decimal(output, header->thread);
      output_char(output, '\n');
   }
   output_text(output, "\n\n");
   if (header->opens_file)
      write_caches(output);
   output_text(output, "desc: Timerange: Basic block ");
   output_decimal(output, header->first_block);
   output_text(output, " - ");
   output_decimal(output, header->last_block);
   output_text(output, "\ndesc: Trigger: ");
   write_text(output, header->trigger);
   output_text(output, "\npositions:");
   output_text(output, options.dump_instr ? " instr" : "");
   output_text(output, options.dump_line ? " line\n" : "\n");
   write_events(output);
   output_text(output, "summary: ");
   write_costs(output, total);
   output_char(output, '\n');
}

/*--------------------------------------------------------------------*/

static void add_block_total(const Context* context, const Block* block, ULong* total)
{
   const ULong* counts = context->counters + block->slot;
   for (UInt run = 0; run < block->n_runs; run++)
      total[CostIr] += counts[run] * (block->run_ends[run] - block_run_begin(block, run));
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      total[event->event] += counts[event->run] * event->count;
   }
   for (UInt i = 0; i < block->n_references; i++)
      block_add_outcomes(block, &block->references[i], counts, total);
}

void profile_writer_total(UInt thread, ULong* total)
{
   cost_zero(total);
   for (const Context* context = context_first(); context != NULL;
        context = context->next) {
      if (thread != 0 && context->thread != thread)
         continue;
      for (const Block* block = block_first_of(context->function); block != NULL;
           block = block->next_of_function)
         add_block_total(context, block, total);
      for (const Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller)
         if (arc->callee == NULL)
            cost_add(total, arc->inclusive);
      if (context->retired == NULL)
         continue;
      VG_(HT_ResetIter)(context->retired);
      const RetiredCost* retired;
      while ((retired = VG_(HT_Next)(context->retired)) != NULL)
         cost_add(total, retired->cost);
   }
}

void profile_writer_write(Output* output, const PartHeader* header, const ULong* total)
{
   write_header(output, header, total);
   position_begin(&position, output);
   write_body(header->thread);
   position_end(&position);
   output_text(output, "\ntotals: ");
   write_costs(output, total);
}
