/* SPDX-License-Identifier: GPL-2.0-or-later

   Counts of jumps; see jump.h.

   Owns the counts that no block has, in a table and in a list for each context, and the
   array in which the counts of several contexts are summed.  */

#include "model/jump.h"

#include "guest/address.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct KeptJump {
   VgHashNode node;
   Context* context;
   Bool stays; /* in its function; otherwise it leaves it, and is a call */
   struct KeptJump* next_of_context;
   JumpCount count;
} KeptJump;

static VgHashTable* kept;

/* In front of the table, for indirect jumps.  */
#define RECENT_JUMPS 4096
static struct {
   const Context* context;
   const CallSite* site;
   Addr target;
   KeptJump* jump;
} recent[RECENT_JUMPS];

static XArray* gathered; /* of JumpCount */

/*--------------------------------------------------------------------*/
/* The table                                                           */

static Int compare_numbers(ULong a, ULong b) { return a < b ? -1 : a > b ? 1 : 0; }

/* By address and target: two that are equal are one jump.  */
static Int compare_counts(const void* a, const void* b)
{
   const JumpCount* c = a;
   const JumpCount* d = b;
   Int order = compare_numbers(c->file_address, d->file_address);
   if (order == 0)
      order = compare_numbers(c->line.file->id, d->line.file->id);
   if (order == 0)
      order = compare_numbers(c->line.line, d->line.line);
   if (order == 0)
      order = compare_numbers(c->target.address, d->target.address);
   if (order == 0)
      order = compare_numbers(c->target.file_address, d->target.file_address);
   if (order == 0)
      order = compare_numbers(c->target.line.file->id, d->target.line.file->id);
   if (order == 0)
      order = compare_numbers(c->target.line.line, d->target.line.line);
   return order != 0 ? order : compare_numbers(c->is_conditional, d->is_conditional);
}

static Word compare_kept(const void* a, const void* b)
{
   const KeptJump* k = a;
   const KeptJump* l = b;
   return k->context != l->context || compare_counts(&k->count, &l->count) != 0;
}

void jump_init(void)
{
   kept = VG_(HT_construct)("jump.table");
   gathered = VG_(newXA)(VG_(malloc), "jump.gathered", VG_(free), sizeof(JumpCount));
   VG_(setCmpFnXA)(gathered, compare_counts);
}

JumpTarget jump_target_at(Addr address)
{
   JumpTarget target = {address, address_place_of(address).file_address,
                        address_line_of(address)};
   return target;
}

/* The record of the jump that `like` describes, made at its first use.  The counts of
   `like` do not matter.  */
static KeptJump* keep(Context* context, const JumpCount* like, Bool stays)
{
   KeptJump sought;
   sought.node.key = like->file_address * 31 + like->target.address + context->id;
   sought.context = context;
   sought.stays = stays;
   sought.count = *like;
   sought.count.executed = sought.count.followed = 0;
   KeptJump* found = VG_(HT_gen_lookup)(kept, &sought, compare_kept);
   if (found == NULL) {
      found = VG_(malloc)("jump.record", sizeof *found);
      *found = sought;
      found->next_of_context = context->first_jump;
      context->first_jump = found;
      VG_(HT_add_node)(kept, found);
   }
   return found;
}

void jump_count_indirect(Context* context, const CallSite* site, Addr target)
{
   UWord hash = (UWord)context / sizeof(Context) + (UWord)site / 16 + target * 31;
   UInt place = (hash ^ hash >> 12) % RECENT_JUMPS;
   if (recent[place].context != context || recent[place].site != site ||
       recent[place].target != target) {
      JumpCount like = {
         site->file_address, callsite_line(site), jump_target_at(target), False, 0, 0};
      Bool stays =
         site->function->is_unbounded || address_is_inside(site->function, target);
      recent[place].context = context;
      recent[place].site = site;
      recent[place].target = target;
      recent[place].jump = keep(context, &like, stays);
   }
   KeptJump* jump = recent[place].jump;
   jump->count.executed++;
   jump->count.followed++;
}

/*--------------------------------------------------------------------*/
/* Blocks                                                              */

static UInt run_of(const Block* block, UInt instruction)
{
   UInt run = 0;
   while (instruction >= block->run_ends[run])
      run++;
   return run;
}

static JumpCount count_of(const Context* context, const Block* block, UInt index)
{
   const Jump* jump = &block->jumps[index];
   UInt span = 0;
   while (span + 1 < block->n_spans && block->spans[span + 1].first <= jump->instruction)
      span++;
   Addr file_address = block->file_address;
   for (UInt i = 0; i < jump->instruction; i++)
      file_address += block->sizes[i];
   JumpCount count = {file_address,
                      block_line_of(&block->spans[span]),
                      jump->target,
                      jump->is_conditional,
                      context->counters[block->slot + run_of(block, jump->instruction)],
                      context->counters[block_jump_slot(block, index)]};
   if (!count.is_conditional)
      count.executed = count.followed;
   return count;
}

void jump_retire_block(const Block* block)
{
   if (block->n_jumps == 0)
      return;
   for (Context* context = context_first_in(block); context != NULL;
        context = context_next_in(block, context))
      for (UInt i = 0; i < block->n_jumps; i++) {
         JumpCount count = count_of(context, block, i);
         context->counters[block_jump_slot(block, i)] = 0;
         if (count.executed == 0)
            continue;
         KeptJump* jump = keep(context, &count, True);
         jump->count.executed += count.executed;
         jump->count.followed += count.followed;
      }
}

/*--------------------------------------------------------------------*/
/* All of some contexts                                                */

/* Code whose function's end is not known has left it where another one stands.  */
static Bool has_left(const Function* function, Addr target)
{
   if (!function->is_unbounded)
      return False;
   const Function* there = block_function_at(target);
   return there != NULL && there != function;
}

static void gather(const Context* context)
{
   for (const Block* block = block_first_of(context->function); block != NULL;
        block = block->next_of_function)
      for (UInt i = 0; i < block->n_jumps; i++) {
         JumpCount count = count_of(context, block, i);
         if (count.executed != 0)
            VG_(addToXA)(gathered, &count);
      }
   for (const KeptJump* jump = context->first_jump; jump != NULL;
        jump = jump->next_of_context)
      if (jump->stays && jump->count.executed != 0)
         VG_(addToXA)(gathered, &jump->count);
}

const JumpCount* jump_counts_of(Context* const* contexts, UInt n_contexts, UInt* n)
{
   *n = 0;
   if (!options.collect_jumps)
      return NULL;
   VG_(dropTailXA)(gathered, VG_(sizeXA)(gathered));
   for (UInt i = 0; i < n_contexts; i++)
      gather(contexts[i]);
   VG_(sortXA)(gathered);
   JumpCount* counts = VG_(sizeXA)(gathered) > 0 ? VG_(indexXA)(gathered, 0) : NULL;
   for (Word i = 0; i < VG_(sizeXA)(gathered);) {
      JumpCount sum = counts[i];
      for (i++; i < VG_(sizeXA)(gathered) && compare_counts(&sum, &counts[i]) == 0; i++) {
         sum.executed += counts[i].executed;
         sum.followed += counts[i].followed;
      }
      if (sum.followed != 0 && !has_left(contexts[0]->function, sum.target.address))
         counts[(*n)++] = sum;
   }
   return counts;
}

void jump_zero(UInt thread)
{
   VG_(HT_ResetIter)(kept);
   KeptJump* jump;
   while ((jump = VG_(HT_Next)(kept)) != NULL)
      if (thread == 0 || jump->context->thread == thread)
         jump->count.executed = jump->count.followed = 0;
}

Bool jump_all_valid(void)
{
   for (const Context* context = context_first(); context != NULL;
        context = context->next)
      for (const Block* block = block_first_of(context->function); block != NULL;
           block = block->next_of_function)
         for (UInt i = 0; i < block->n_jumps; i++) {
            JumpCount count = count_of(context, block, i);
            if (count.followed > count.executed) {
               VG_(umsg)(
                  "ct-check: the jump at %#lx was followed %llu times, and executed %llu "
                  "times\n",
                  count.file_address, count.followed, count.executed);
               return False;
            }
         }
   return True;
}
