/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all contexts and their counters; see context.h.  */

#include "model/context.h"

#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static Context** first_of_function; /* by function id; linked by next_of_function */
static UInt function_table_size;

/* A context's place in the table by which it is found.  */
typedef struct {
   VgHashNode node;
   Context* context;
} ContextEntry;
static VgHashTable* table;
static UInt running_thread;

static Context* first_context;
static Context** last_link = &first_context;
static UInt n_contexts;

static ULong* scratch;
static UInt n_scratch;

#define MIN_COUNTERS 8

static ULong* grow_counters(ULong* counters, UInt old_size, UInt new_size)
{
   counters = VG_(realloc)("context.counters", counters, new_size * sizeof(ULong));
   VG_(memset)(counters + old_size, 0, (new_size - old_size) * sizeof(ULong));
   return counters;
}

static UInt size_for(UInt old_size, UInt needed)
{
   UInt size = old_size == 0 ? MIN_COUNTERS : old_size;
   while (size < needed)
      size *= 2;
   return size;
}

void context_init(void)
{
   n_scratch = 1024;
   scratch = grow_counters(NULL, 0, n_scratch);
   table = VG_(HT_construct)("context.table");
   caller_chain_init();
}

void context_set_thread(UInt thread) { running_thread = thread; }

static Context** contexts_of(const Function* function)
{
   if (function->id >= function_table_size) {
      UInt size = size_for(function_table_size, function->id + 1);
      first_of_function =
         VG_(realloc)("context.functions", first_of_function, size * sizeof(Context*));
      VG_(memset)(first_of_function + function_table_size, 0,
                  (size - function_table_size) * sizeof(Context*));
      function_table_size = size;
   }
   return &first_of_function[function->id];
}

static Word compare_entries(const void* a, const void* b)
{
   const Context* c = ((const ContextEntry*)a)->context;
   const Context* d = ((const ContextEntry*)b)->context;
   return c->function != d->function || c->level != d->level || c->chain != d->chain ||
          c->thread != d->thread;
}

static Context* make_context(const Context* like)
{
   Function* function = like->function;
   Context* context = VG_(calloc)("context.record", 1, sizeof *context);
   context->function = function;
   context->function_id = function->id;
   context->level = like->level;
   context->chain = like->chain;
   context->thread = like->thread;
   context->level_span = like->level < function->n_recursions ? 0 : ~0u / 2;
   context->id = n_contexts++;
   context->n_counters = size_for(0, block_n_slots(function));
   context->counters = grow_counters(NULL, 0, context->n_counters);
   *last_link = context;
   last_link = &context->next;
   Context** of_function = contexts_of(function);
   context->next_of_function = *of_function;
   *of_function = context;
   return context;
}

static Context* get(Function* function, UInt level, CallChain* chain, UInt thread)
{
   Context like;
   like.function = function;
   like.level = level;
   like.chain = chain;
   like.thread = thread;
   ContextEntry sought;
   sought.node.key = (UWord)function->id * 64 + level + thread * 7 +
                     (chain != NULL ? (UWord)chain / sizeof(CallChain) * 31 : 0);
   sought.context = &like;
   ContextEntry* entry = VG_(HT_gen_lookup)(table, &sought, compare_entries);
   if (entry != NULL)
      return entry->context;
   Context* context = make_context(&like);
   entry = VG_(malloc)("context.entry", sizeof *entry);
   entry->node.key = sought.node.key;
   entry->context = context;
   VG_(HT_add_node)(table, entry);
   context->written_as = context;
   if (chain != NULL && chain->length > function->n_callers + 1)
      context->written_as =
         get(function, level, caller_chain_cut(chain, function->n_callers + 1), thread);
   return context;
}

Context* context_at_depth(Function* function, UInt depth, const Context* caller)
{
   UInt last = function->n_recursions;
   CallChain* chain = NULL;
   if (options.max_separate_callers > 0)
      chain = caller_chain_enter(function, caller != NULL ? caller->chain : NULL,
                                 options.max_separate_callers + 1);
   return get(function, depth < last ? depth : last, chain, running_thread);
}

Context* context_of_skipped(void)
{
   return context_at_depth(symbols_skipped_function(), 1, NULL);
}

UInt context_count(void) { return n_contexts; }

Context* context_first(void) { return first_context; }

void context_make_room(Function* function)
{
   UInt needed = block_n_slots(function);
   if (needed > n_scratch) {
      UInt size = size_for(n_scratch, needed);
      scratch = grow_counters(scratch, n_scratch, size);
      n_scratch = size;
   }
   for (Context* context = *contexts_of(function); context != NULL;
        context = context->next_of_function) {
      if (needed <= context->n_counters)
         continue;
      UInt size = size_for(context->n_counters, needed);
      context->counters = grow_counters(context->counters, context->n_counters, size);
      context->n_counters = size;
   }
}

ULong* context_scratch_counters(void) { return scratch; }

static Word compare_retired(const void* a, const void* b)
{
   const RetiredCost* c = a;
   const RetiredCost* d = b;
   return c->file_address != d->file_address || !source_line_is_same(&c->line, &d->line);
}

static RetiredCost* retired_at(Context* context, Addr file_address, SourceLine line)
{
   if (context->retired == NULL)
      context->retired = VG_(HT_construct)("context.retired");
   RetiredCost sought;
   sought.node.key = file_address;
   sought.file_address = file_address;
   sought.line = line;
   RetiredCost* found = VG_(HT_gen_lookup)(context->retired, &sought, compare_retired);
   if (found == NULL) {
      found = VG_(malloc)("context.retired", sizeof *found);
      *found = sought;
      VG_(memset)(found->cost, 0, sizeof found->cost);
      VG_(HT_add_node)(context->retired, found);
   }
   return found;
}

void context_add_cost(Context* context, Addr file_address, SourceLine line,
                      const ULong* cost)
{
   if (!cost_is_zero(cost))
      cost_add(retired_at(context, file_address, line)->cost, cost);
}

static void add_at(Context* context, const BlockWalk* walk, const ULong* cost)
{
   context_add_cost(context, walk->file_address, block_line_of(walk->span), cost);
}

static void retire_from(Context* context, const Block* block)
{
   ULong* counts = context->counters + block->slot;
   ULong cost[COST_MAX_EVENTS];
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, counts, cost))
      add_at(context, &walk, cost);
   for (UInt i = 0; i < block_n_counters(block); i++)
      counts[i] = 0;
}

void context_retire_block(const Block* block)
{
   for (Context* context = *contexts_of(block->function); context != NULL;
        context = context->next_of_function)
      retire_from(context, block);
}

void context_cut_run(Context* context, const Block* block, UInt run, UInt end)
{
   context->counters[block->slot + run]--;
   static ULong once[BLOCK_MAX_RUNS];
   once[run] = 1;
   ULong cost[COST_MAX_EVENTS];
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, once, cost) && walk.index < end)
      add_at(context, &walk, cost);
   once[run] = 0;
}

void context_zero(UInt thread)
{
   for (Context* context = first_context; context != NULL; context = context->next) {
      if (thread != 0 && context->thread != thread)
         continue;
      VG_(memset)(context->counters, 0, context->n_counters * sizeof(ULong));
      if (context->retired != NULL) {
         VG_(HT_destruct)(context->retired, VG_(free));
         context->retired = NULL;
      }
   }
}

Bool context_all_valid(void)
{
   for (Context* context = first_context; context != NULL; context = context->next) {
      if (get(context->function, context->level, context->chain, context->thread) !=
          context) {
         VG_(umsg)("ct-check: context %u is not where it is looked for\n", context->id);
         return False;
      }
      if (context->n_counters < block_n_slots(context->function)) {
         VG_(umsg)("ct-check: context %u has too few counters\n", context->id);
         return False;
      }
   }
   return True;
}
