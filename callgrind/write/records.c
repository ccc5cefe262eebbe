/* SPDX-License-Identifier: GPL-2.0-or-later

   See records.h.  Self costs are in a pool of vectors, because most records are arcs or
   jumps and need none.  */

#include "write/records.h"

#include "options/options.h"
#include "write/jump_lines.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

static XArray* records;    /* of Record */
static XArray* kept_jumps; /* of JumpCount*: those that records name; owned */
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
      cost_pool = VG_(realloc)("records.costs", cost_pool,
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
   for (const RetiredCost* retired = context->retired.first; retired != NULL;
        retired = retired->next)
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

/* A copy that lasts until the records are cleared.  */
static const JumpCount* keep_jump(const JumpCount* jump)
{
   JumpCount* copy = VG_(malloc)("records.jump", sizeof *copy);
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

void records_gather_jumps(Context* const* contexts, Word n)
{
   UInt n_jumps;
   const JumpCount* jumps = jump_counts_of(contexts, (UInt)n, &n_jumps);
   for (UInt i = 0; i < n_jumps; i++)
      if (jump_lines_say_something(&jumps[i]))
         add_record(contexts[0], jumps[i].line, jumps[i].file_address)->jump =
            keep_jump(&jumps[i]);
}

void records_clear(void)
{
   VG_(dropTailXA)(records, VG_(sizeXA)(records));
   cost_pool_used = 0;
   forget_jumps();
}

static void gather_blocks(const Context* context)
{
   for (const Block* block = block_first_of(context->function); block != NULL;
        block = block->next_of_function)
      if (!block_is_idle(block, context->counters + block->slot))
         gather_block(context, block);
}

void records_gather(const Context* context)
{
   if (!context_is_idle(context))
      gather_blocks(context);
   gather_retired(context);
   gather_arcs(context);
}

/*--------------------------------------------------------------------*/
/* Order                                                               */

static Int compare_numbers(ULong a, ULong b) { return a < b ? -1 : a > b ? 1 : 0; }

const HChar* records_inlined_name(const SourceLine* at)
{
   return at->inlined != NULL && options.dump_inlined ? at->inlined->name : "";
}

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
      order = VG_(strcmp)(records_inlined_name(&a->at), records_inlined_name(&b->at));
   return order;
}

/* Two arcs are equal if the same is written of them.  */
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

Int records_compare(const Record* a, const Record* b)
{
   Int order = compare_positions(a, b);
   if (order == 0)
      order = jump_lines_compare(a->jump, b->jump);
   return order != 0 ? order : compare_arcs(a->arc, b->arc);
}

static Int compare_records(const void* a, const void* b) { return records_compare(a, b); }

void records_sort(void) { VG_(sortXA)(records); }

/*--------------------------------------------------------------------*/

Word records_count(void) { return VG_(sizeXA)(records); }

const Record* records_at(Word i) { return VG_(indexXA)(records, i); }

const ULong* records_cost(const Record* record)
{
   return record->arc != NULL ? record->arc->inclusive : pool_vector(record->cost_index);
}

void records_begin(void)
{
   kept_jumps = VG_(newXA)(VG_(malloc), "records.jumps", VG_(free), sizeof(JumpCount*));
   records = VG_(newXA)(VG_(malloc), "records.list", VG_(free), sizeof(Record));
   VG_(setCmpFnXA)(records, compare_records);
}

void records_end(void)
{
   records_clear();
   VG_(deleteXA)(records);
   VG_(deleteXA)(kept_jumps);
   VG_(free)(cost_pool);
   cost_pool = NULL;
   cost_pool_used = cost_pool_size = 0;
}
