/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all contexts and their counters; see context.h.  A context is never freed: frames,
   arcs and generated code refer to it.  */

#include "model/context.h"

#include "base/host_lines.h"
#include "model/counter_slots.h"
#include "model/function_table.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* The contexts of a function.  */
typedef struct {
   Context* first;         /* linked by next_of_function */
   Context* first_entered; /* the one entered last, linked by next_entered */
   UInt rounds_before;
   UInt n_recent;
   ULong n_looked_at; /* since the round began */
   UInt price;        /* of the last try to begin one */
} FunctionContexts;

static FunctionTable lists = {"context.functions", sizeof(FunctionContexts), NULL, 0};

/* So few are not worth it.  */
#define FEW_RECENT 64

/* --stats=yes */
static ULong n_retired, n_looked_at;

/* A context in the table by which it is found.  */
typedef struct {
   VgHashNode node;
   Context* context;
} ContextEntry;
static VgHashTable* table;
static UInt running_thread;

static Context* first_context;
static Context** last_link = &first_context;
static UInt n_contexts;

ULong* context_scratch;
static UInt n_scratch;

#define MIN_COUNTERS 8

static ULong* grow_counters(ULong* counters, UInt old_size, UInt new_size)
{
   counters = VG_(realloc)("context.counters", counters, new_size * sizeof(ULong));
   VG_(memset)(counters + old_size, 0, (new_size - old_size) * sizeof(ULong));
   return counters;
}

/* As grow_counters(), for those of a context.  */
static void grow(Context* context, UInt size)
{
   ULong* before = context->counters;
   if (context->has_mapped_counters) {
      context->counters = grow_counters(NULL, 0, size);
      VG_(memcpy)(context->counters, before, context->n_counters * sizeof(ULong));
      context->has_mapped_counters = False;
   } else
      context->counters = grow_counters(before, context->n_counters, size);
   context->n_counters = size;
}

/* The room for `needed` counters, at least `old_size`: MIN_COUNTERS times a power of
   two.  */
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
   context_scratch = grow_counters(NULL, 0, n_scratch);
   table = VG_(HT_construct)("context.table");
   caller_chain_init();
}

void context_set_thread(UInt thread) { running_thread = thread; }

static FunctionContexts* contexts_of(const Function* function)
{
   return function_table_at(&lists, function->id);
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
   Context* context = host_lines_make(sizeof *context);
   context->function = function;
   context->function_id = function->id;
   context->level = like->level;
   context->n_outer = like->level - 1;
   context->chain = like->chain;
   context->thread = like->thread;
   context->level_span = like->level < function->n_recursions ? 0 : ~0u / 2;
   context->id = n_contexts++;
   context->n_counters = size_for(0, counter_slots_end(function));
   context->counters = grow_counters(NULL, 0, context->n_counters);
   *last_link = context;
   last_link = &context->next;
   FunctionContexts* of = contexts_of(function);
   context->next_of_function = of->first;
   of->first = context;
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

Context* context_first_of(const Function* function)
{
   return contexts_of(function)->first;
}

void context_make_room(Function* function)
{
   UInt needed = counter_slots_end(function);
   if (needed > n_scratch) {
      UInt size = size_for(n_scratch, needed);
      context_scratch = grow_counters(context_scratch, n_scratch, size);
      n_scratch = size;
   }
   /* All contexts of a function have the same room: each time it is the least
      size_for() that is enough, and the number of slots never gets smaller.  */
   Context* first = contexts_of(function)->first;
   if (first == NULL || needed <= first->n_counters)
      return;
   UInt size = size_for(first->n_counters, needed);
   for (Context* context = first; context != NULL; context = context->next_of_function)
      grow(context, size);
}

/*--------------------------------------------------------------------*/
/* Which contexts may have run a block                                 */

static void link_entered(Context* context, FunctionContexts* of)
{
   context->next_entered = of->first_entered;
   context->link_entered = &of->first_entered;
   if (of->first_entered != NULL)
      of->first_entered->link_entered = &context->next_entered;
   of->first_entered = context;
}

void context_make_recent(Context* context)
{
   FunctionContexts* of = contexts_of(context->function);
   if (context->round != 0) {
      *context->link_entered = context->next_entered;
      if (context->next_entered != NULL)
         context->next_entered->link_entered = context->link_entered;
   }
   link_entered(context, of);
   context->round = of->rounds_before + 1;
   context->is_recent = True;
   of->n_recent++;
}

void context_note_block(Block* block)
{
   if (block->since == 0)
      block->since = contexts_of(block->function)->rounds_before + 1;
}

static Context* if_in(const Block* block, Context* context)
{
   return context != NULL && context->round >= block->since ? context : NULL;
}

Context* context_first_in(const Block* block)
{
   return if_in(block, contexts_of(block->function)->first_entered);
}

Context* context_next_in(const Block* block, const Context* context)
{
   return if_in(block, context->next_entered);
}

Bool context_is_round_due(const Function* function)
{
   const FunctionContexts* of = contexts_of(function);
   return of->n_recent > FEW_RECENT && of->n_looked_at >= of->price;
}

void context_begin_round(const Function* function)
{
   FunctionContexts* of = contexts_of(function);
   for (Context* context = of->first_entered; context != NULL && context->is_recent;
        context = context->next_entered)
      context->is_recent = False;
   of->n_recent = 0;
   of->rounds_before++;
}

void context_pay_for_round(const Function* function, UInt price)
{
   FunctionContexts* of = contexts_of(function);
   of->n_looked_at = 0;
   of->price = price;
}

void context_print_stats(void)
{
   VG_(umsg)("retired blocks: %llu, contexts looked at: %llu\n", n_retired, n_looked_at);
}

/*--------------------------------------------------------------------*/

void context_add_cost(Context* context, Addr file_address, SourceLine line,
                      const ULong* cost)
{
   retired_cost_add(&context->retired, file_address, line, cost);
}

void context_retire_block(const Block* block)
{
   ULong looked_at = 0;
   for (Context* context = context_first_in(block); context != NULL;
        context = context_next_in(block, context)) {
      retired_cost_add_block(&context->retired, block, context->counters + block->slot);
      looked_at++;
   }
   contexts_of(block->function)->n_looked_at += looked_at;
   n_looked_at += looked_at;
   n_retired++;
}

void context_cut_run(Context* context, const Block* block, UInt run, UInt end)
{
   context->counters[block->slot + run]--;
   retired_cost_add_begin_of_run(&context->retired, block, run, end);
}

ULong context_sum_at(const Function* function, UInt slot)
{
   ULong sum = 0;
   for (const Context* context = contexts_of(function)->first; context != NULL;
        context = context->next_of_function)
      sum += context->counters[slot];
   return sum;
}

Bool context_is_idle(const Context* context)
{
   ULong any = 0;
   for (UInt i = 0; i < context->n_counters; i++)
      any |= context->counters[i];
   return any == 0;
}

void context_zero(UInt thread)
{
   for (Context* context = first_context; context != NULL; context = context->next) {
      if (thread != 0 && context->thread != thread)
         continue;
      if (!context_is_idle(context))
         VG_(memset)(context->counters, 0, context->n_counters * sizeof(ULong));
      retired_cost_clear(&context->retired);
   }
}

void context_zero_in_child(void)
{
   SizeT n = 0;
   for (const Context* context = first_context; context != NULL; context = context->next)
      n += context->n_counters;
   ULong* zeros = n == 0 ? NULL : core_map_zeros(n * sizeof(ULong), "counters");
   for (Context* context = first_context; context != NULL; context = context->next) {
      if (!context_is_idle(context)) {
         context->counters = zeros;
         context->has_mapped_counters = True;
         zeros += context->n_counters;
      }
      retired_cost_clear(&context->retired);
   }
}

/* Nothing has been counted in blocks that the context is said not to have run.  */
static Bool has_run_none_else(const Context* context)
{
   for (const Block* block = block_first_of(context->function); block != NULL;
        block = block->next_of_function)
      for (UInt i = 0; context->round < block->since && i < block_n_counters(block); i++)
         if (context->counters[block->slot + i] != 0)
            return False;
   return True;
}

Bool context_all_valid(void)
{
   for (Context* context = first_context; context != NULL; context = context->next) {
      if (get(context->function, context->level, context->chain, context->thread) !=
          context) {
         VG_(umsg)("ct-check: context %u is not where it is looked for\n", context->id);
         return False;
      }
      if (context->n_counters < counter_slots_end(context->function) ||
          context->n_counters != contexts_of(context->function)->first->n_counters) {
         VG_(umsg)("ct-check: context %u has too few counters\n", context->id);
         return False;
      }
      if (!has_run_none_else(context)) {
         VG_(umsg)("ct-check: context %u has run a block it has not\n", context->id);
         return False;
      }
   }
   return True;
}
