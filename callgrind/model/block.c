/* SPDX-License-Identifier: GPL-2.0-or-later

   All blocks; see block.h.  Owns them, in a hash table by guest address, and in a
   list for each function.  */

#include "model/block.h"

#include "base/table.h"
#include "guest/address.h"
#include "model/counter_slots.h"
#include "model/function_table.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static Table blocks; /* the hash is the key */

/* The first block of each function.  */
static FunctionTable lists = {"block.functions", sizeof(Block*), NULL, 0};

UInt block_count(void) { return blocks.n; }

static Block** list_of(const Function* function)
{
   return function_table_at(&lists, function->id);
}

static Block* make_block(Addr key, const BlockShape* shape)
{
   UInt slot = counter_slots_take(shape->function, block_record_n_counters(shape));
   Block* block = block_record_make(key, shape, slot);
   Block** list = list_of(shape->function);
   block->next_of_function = *list;
   if (*list != NULL)
      (*list)->previous_of_function = block;
   *list = block;
   return block;
}

static Block* add_to_table(Block* block)
{
   table_add(&blocks, block->key, block);
   block->is_at_key = True;
   return block;
}

/* One of the blocks of an ambiguous address that a new translation of this shape may
   count in, too: translations of the same code and groups need not be distinguished.  */
static Block* find_ambiguous(Addr key, const BlockShape* shape)
{
   for (Block* block = *list_of(shape->function); block != NULL;
        block = block->next_of_function)
      if (block->key == key && block->is_ambiguous &&
          block_record_has_shape(block, shape) && block_record_has_groups(block, shape))
         return block;
   return NULL;
}

Block* block_intern(Addr key, const BlockShape* shape, Block** retired)
{
   *retired = NULL;
   Block* old = table_find_only(&blocks, key);
   if (old != NULL && !old->is_ambiguous && block_record_has_shape(old, shape) &&
       (!old->is_translated || block_record_has_groups(old, shape))) {
      block_record_take_groups(old, shape);
      old->is_translated = True;
      return old;
   }
   if (old == NULL)
      return add_to_table(make_block(key, shape));
   Block* other = old->is_ambiguous ? find_ambiguous(key, shape) : NULL;
   if (other != NULL) {
      other->is_translated = other->is_warm = True;
      return other;
   }
   other = make_block(key, shape);
   other->is_warm = True;
   if (!old->is_translated && !old->is_ambiguous) {
      table_remove(&blocks, key, old);
      old->is_at_key = False;
      *retired = old;
      return add_to_table(other);
   }
   /* Two translations of one address: both go on counting, to the end, because the
      core does not say which of them it discards.  */
   old->is_ambiguous = True;
   other->is_ambiguous = True;
   return other;
}

Block* block_at(Addr key) { return table_find_only(&blocks, key); }

void block_free(Block* block)
{
   Block* previous = block->previous_of_function;
   if (previous != NULL)
      previous->next_of_function = block->next_of_function;
   else
      *list_of(block->function) = block->next_of_function;
   if (block->next_of_function != NULL)
      block->next_of_function->previous_of_function = previous;
   counter_slots_give_back(block->function, block->slot, block_n_counters(block));
   VG_(free)(block);
}

Bool block_translation_discarded(Addr key)
{
   Block* block = table_find_only(&blocks, key);
   if (block != NULL)
      block->is_translated = False;
   return block != NULL;
}

Function* block_function_at(Addr key)
{
   Block* block = table_find_only(&blocks, key);
   return block != NULL ? block->function : NULL;
}

Bool block_is_surely_at_start(const Block* block)
{
   return !block->function->is_unbounded &&
          address_is_start(block->function, block->address);
}

Block* block_first_of(const Function* function) { return *list_of(function); }

static Bool slots_are_disjoint(const Function* function)
{
   UInt end = counter_slots_end(function);
   UChar* used = VG_(calloc)("block.check", end + 1, 1);
   Bool valid = True;
   for (const Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function)
      for (UInt s = block->slot; s < block->slot + block_n_counters(block); s++)
         if (s >= end || used[s]++ != 0)
            valid = False;
   VG_(free)(used);
   return valid;
}

static Bool all_know_if_found(const Function* function)
{
   for (Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function)
      if (block->is_at_key != (block_at(block->key) == block))
         return False;
   return True;
}

Bool block_all_valid(void)
{
   for (UInt id = 1; id <= symbols_n_functions(); id++) {
      if (!slots_are_disjoint(symbols_function(id))) {
         VG_(umsg)("ct-check: blocks of function %u share counters\n", id);
         return False;
      }
      if (!all_know_if_found(symbols_function(id))) {
         VG_(umsg)("ct-check: a block of function %u is not where it says\n", id);
         return False;
      }
   }
   return True;
}
