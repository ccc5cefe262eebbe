/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all contexts and their counters; see context.h.  */

#include "model/context.h"

#include "options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* The contexts of one function, by recursion level - 1.  */
typedef struct {
   Context** by_level;
   UInt n_levels;
} FunctionContexts;

static FunctionContexts* function_table; /* by function id */
static UInt function_table_size;

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
}

static FunctionContexts* contexts_of(const Function* function)
{
   if (function->id >= function_table_size) {
      UInt size = size_for(function_table_size, function->id + 1);
      function_table = VG_(realloc)("context.functions", function_table,
                                    size * sizeof(FunctionContexts));
      VG_(memset)
      (function_table + function_table_size, 0,
       (size - function_table_size) * sizeof(FunctionContexts));
      function_table_size = size;
   }
   return &function_table[function->id];
}

static Context* make_context(Function* function, UInt level)
{
   Context* context = VG_(calloc)("context.record", 1, sizeof *context);
   context->function = function;
   context->function_id = function->id;
   context->level = level;
   context->level_span = level < options.separate_recursions ? 0 : ~0u / 2;
   context->id = n_contexts++;
   context->n_counters = size_for(0, block_n_slots(function));
   context->counters = grow_counters(NULL, 0, context->n_counters);
   *last_link = context;
   last_link = &context->next;
   return context;
}

Context* context_get(Function* function, UInt level)
{
   FunctionContexts* of = contexts_of(function);
   if (level > of->n_levels) {
      of->by_level =
         VG_(realloc)("context.levels", of->by_level, level * sizeof(Context*));
      for (; of->n_levels < level; of->n_levels++)
         of->by_level[of->n_levels] = NULL;
   }
   Context** place = &of->by_level[level - 1];
   if (*place == NULL)
      *place = make_context(function, level);
   return *place;
}

Context* context_at_depth(Function* function, UInt depth)
{
   UInt last = options.separate_recursions;
   return context_get(function, depth < last ? depth : last);
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
   FunctionContexts* of = contexts_of(function);
   for (UInt i = 0; i < of->n_levels; i++) {
      Context* context = of->by_level[i];
      if (context == NULL || needed <= context->n_counters)
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
   return c->file_address != d->file_address || c->line != d->line || c->file != d->file;
}

static RetiredCost* retired_at(Context* context, Addr file_address, SourceFile* file,
                               UInt line)
{
   if (context->retired == NULL)
      context->retired = VG_(HT_construct)("context.retired");
   RetiredCost sought;
   sought.node.key = file_address;
   sought.file_address = file_address;
   sought.file = file;
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

void context_add_cost(Context* context, Addr file_address, SourceFile* file, UInt line,
                      const ULong* cost)
{
   if (!cost_is_zero(cost))
      cost_add(retired_at(context, file_address, file, line)->cost, cost);
}

static void add_at(Context* context, const BlockWalk* walk, const ULong* cost)
{
   context_add_cost(context, walk->file_address, walk->span->file, walk->span->line,
                    cost);
}

static void retire_from(Context* context, const Block* block)
{
   ULong* counts = context->counters + block->slot;
   ULong cost[COST_MAX_EVENTS];
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, counts, cost))
      add_at(context, &walk, cost);
   for (UInt run = 0; run < block->n_runs; run++)
      counts[run] = 0;
}

void context_retire_block(const Block* block)
{
   FunctionContexts* of = contexts_of(block->function);
   for (UInt i = 0; i < of->n_levels; i++)
      if (of->by_level[i] != NULL)
         retire_from(of->by_level[i], block);
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

void context_zero_all(void)
{
   for (Context* context = first_context; context != NULL; context = context->next) {
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
      FunctionContexts* of = contexts_of(context->function);
      if (context->level == 0 || context->level > of->n_levels ||
          of->by_level[context->level - 1] != context) {
         VG_(umsg)("ct-check: context %u is not where its level says\n", context->id);
         return False;
      }
      if (context->n_counters < block_n_slots(context->function)) {
         VG_(umsg)("ct-check: context %u has too few counters\n", context->id);
         return False;
      }
   }
   return True;
}
