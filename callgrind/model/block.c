/* SPDX-License-Identifier: GPL-2.0-or-later

   Records of superblocks; see block.h.

   Owns: a hash table from guest address to record, and for each function its
   list of records and the allocation of their counter slots.  */

#include "model/block.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Slots that retired blocks gave back are kept by their number; blocks with more
   than this are too rare to bother.  */
#define FREE_LISTS 64

typedef struct {
   Block* first;
   UInt n_slots;
   XArray**
      free_slots; /* FREE_LISTS of them, of UInt; index is number - 1; NULL if empty;
                           NULL if none was ever given back, as nearly always */
} FunctionBlocks;

static VgHashTable* blocks; /* address asked for -> Block */

/* In front of the table, for block_at(): indexed by the address's low bits.  */
#define CACHE_SIZE 8192
static Block* cache[CACHE_SIZE];

static FunctionBlocks* function_table; /* by function id */
static UInt function_table_size;

void block_init(void) { blocks = VG_(HT_construct)("block.table"); }

UInt block_count(void) { return VG_(HT_count_nodes)(blocks); }

static FunctionBlocks* blocks_of(const Function* function)
{
   if (function->id >= function_table_size) {
      UInt size = function_table_size == 0 ? 1024 : function_table_size;
      while (size <= function->id)
         size *= 2;
      function_table =
         VG_(realloc)("block.functions", function_table, size * sizeof(FunctionBlocks));
      VG_(memset)(function_table + function_table_size, 0,
                  (size - function_table_size) * sizeof(FunctionBlocks));
      function_table_size = size;
   }
   return &function_table[function->id];
}

static UInt take_slots(FunctionBlocks* of, UInt n)
{
   if (n >= 1 && n <= FREE_LISTS && of->free_slots != NULL) {
      XArray* free = of->free_slots[n - 1];
      if (free != NULL && VG_(sizeXA)(free) > 0) {
         UInt slot = *(UInt*)VG_(indexXA)(free, VG_(sizeXA)(free) - 1);
         VG_(dropTailXA)(free, 1);
         return slot;
      }
   }
   UInt slot = of->n_slots;
   of->n_slots += n;
   return slot;
}

static void give_back_slots(FunctionBlocks* of, UInt slot, UInt n)
{
   if (n < 1 || n > FREE_LISTS)
      return;
   if (of->free_slots == NULL)
      of->free_slots = VG_(calloc)("block.free", FREE_LISTS, sizeof *of->free_slots);
   XArray** free = &of->free_slots[n - 1];
   if (*free == NULL)
      *free = VG_(newXA)(VG_(malloc), "block.free", VG_(free), sizeof(UInt));
   VG_(addToXA)(*free, &slot);
}

static Bool has_jumps(const Block* block, const BlockShape* shape)
{
   for (UInt i = 0; i < block->n_jumps; i++) {
      const Jump* a = &block->jumps[i];
      const Jump* b = &shape->jumps[i];
      if (a->target.address != b->target.address ||
          a->target.file_address != b->target.file_address ||
          !source_line_is_same(&a->target.line, &b->target.line) ||
          a->instruction != b->instruction || a->is_conditional != b->is_conditional ||
          a->is_at_end != b->is_at_end)
         return False;
   }
   return True;
}

static Bool has_references(const Block* block, const BlockShape* shape)
{
   UInt first = block->slot + block->n_runs + block->n_jumps;
   for (UInt i = 0; i < block->n_references; i++) {
      const Reference* a = &block->references[i];
      const Reference* b = &shape->references[i];
      if (a->address != b->address || a->at != b->at ||
          a->outcomes - first != b->outcomes || a->size != b->size ||
          a->instruction != b->instruction || a->kind != b->kind ||
          a->inlined != b->inlined || a->is_guarded != b->is_guarded)
         return False;
   }
   return True;
}

/* Are the same ones looked at together?  */
static Bool has_groups(const Block* block, const BlockShape* shape)
{
   for (UInt i = 0; i < block->n_references; i++) {
      const Reference* a = &block->references[i];
      const Reference* b = &shape->references[i];
      if (a->argument != b->argument || a->is_last != b->is_last ||
          a->before != b->before)
         return False;
   }
   return True;
}

/* Takes them over.  Nothing may be running that was translated by the old ones.  */
static void take_groups(Block* block, const BlockShape* shape)
{
   for (UInt i = 0; i < block->n_references; i++) {
      block->references[i].argument = shape->references[i].argument;
      block->references[i].is_last = shape->references[i].is_last;
      block->references[i].before = shape->references[i].before;
   }
   reference_pack(block->references, block->n_references, block->accesses);
}

static Bool has_shape(const Block* block, const BlockShape* shape)
{
   if (block->function != shape->function || block->address != shape->address ||
       block->file_address != shape->file_address || block->n_runs != shape->n_runs ||
       block->n_instructions != shape->n_instructions ||
       block->n_spans != shape->n_spans || block->n_jumps != shape->n_jumps ||
       block->n_events != shape->n_events || block->n_references != shape->n_references ||
       block->n_outcomes != shape->n_outcomes)
      return False;
   for (UInt i = 0; i < block->n_spans; i++)
      if (!stored_line_is_same(&block->spans[i].line, &shape->spans[i].line) ||
          block->spans[i].first != shape->spans[i].first)
         return False;
   return VG_(memcmp)(block->run_ends, shape->run_ends, block->n_runs * sizeof(UShort)) ==
             0 &&
          VG_(memcmp)(block->events, shape->events,
                      block->n_events * sizeof(StaticEvent)) == 0 &&
          VG_(memcmp)(block->sizes, shape->sizes, block->n_instructions) == 0 &&
          has_jumps(block, shape) && has_references(block, shape);
}

/* Copies an array of the shape into the record's memory, which is taken from the front of
   *memory.  */
static void* take_array(UChar** memory, const void* from, SizeT size)
{
   void* array = *memory;
   VG_(memcpy)(array, from, size);
   *memory += size;
   return array;
}

static SizeT room_of_run;

void block_make_room(SizeT size) { room_of_run = size; }

void* block_room(const Block* block, UInt run)
{
   return (UChar*)block->references - (run + 1) * room_of_run;
}

static UInt n_accesses(const BlockShape* shape)
{
   return reference_pack(shape->references, shape->n_references, NULL);
}

/* Its arrays, those of the largest alignment first.  */
static void copy_arrays(Block* block, const BlockShape* shape, UChar* memory)
{
   block->spans = take_array(&memory, shape->spans, block->n_spans * sizeof(LineSpan));
   block->jumps = take_array(&memory, shape->jumps, block->n_jumps * sizeof(Jump));
   memory += block->n_runs * room_of_run;
   block->references =
      take_array(&memory, shape->references, block->n_references * sizeof(Reference));
   block->accesses = (PackedReference*)memory;
   memory += n_accesses(shape) * sizeof(PackedReference);
   block->events =
      take_array(&memory, shape->events, block->n_events * sizeof(StaticEvent));
   block->run_ends = take_array(&memory, shape->run_ends, block->n_runs * sizeof(UShort));
   block->sizes = take_array(&memory, shape->sizes, block->n_instructions);
}

static SizeT size_of_arrays(const BlockShape* shape)
{
   return shape->n_spans * sizeof(LineSpan) + shape->n_jumps * sizeof(Jump) +
          shape->n_runs * room_of_run + shape->n_references * sizeof(Reference) +
          n_accesses(shape) * sizeof(PackedReference) +
          shape->n_events * sizeof(StaticEvent) + shape->n_runs * sizeof(UShort) +
          shape->n_instructions;
}

static Block* make_block(Addr key, const BlockShape* shape)
{
   Block* block = VG_(malloc)("block.record", sizeof(Block) + size_of_arrays(shape));
   block->node.next = NULL;
   block->node.key = key;
   block->function = shape->function;
   block->address = shape->address;
   block->file_address = shape->file_address;
   block->n_runs = (UShort)shape->n_runs;
   block->n_instructions = (UShort)shape->n_instructions;
   block->n_spans = (UShort)shape->n_spans;
   block->n_jumps = (UShort)shape->n_jumps;
   block->n_events = (UShort)shape->n_events;
   block->n_references = (UShort)shape->n_references;
   block->n_outcomes = (UShort)shape->n_outcomes;
   block->is_translated = True;
   block->is_ambiguous = False;
   block->is_warm = False;
   block->has_cold_runs = False;
   copy_arrays(block, shape, (UChar*)(block + 1));

   FunctionBlocks* of = blocks_of(shape->function);
   block->slot = take_slots(of, block_n_counters(block));
   for (UInt i = 0; i < block->n_references; i++)
      block->references[i].outcomes += block->slot + block->n_runs + block->n_jumps;
   reference_pack(block->references, block->n_references, block->accesses);
   block->next_of_function = of->first;
   of->first = block;
   return block;
}

static Block* add_to_table(Block* block)
{
   VG_(HT_add_node)(blocks, block);
   return block;
}

static inline Block** cache_bucket(Addr key) { return &cache[key % CACHE_SIZE]; }

Block* block_intern(Addr key, const BlockShape* shape, Block** retired)
{
   *retired = NULL;
   Block* old = VG_(HT_lookup)(blocks, key);
   if (old != NULL && !old->is_ambiguous && has_shape(old, shape) &&
       (!old->is_translated || has_groups(old, shape))) {
      take_groups(old, shape);
      old->is_translated = True;
      return old;
   }
   if (old == NULL)
      return add_to_table(make_block(key, shape));
   Block* other = make_block(key, shape);
   other->is_warm = True;
   if (!old->is_translated && !old->is_ambiguous) {
      VG_(HT_remove)(blocks, key);
      *cache_bucket(key) = NULL;
      *retired = old;
      return add_to_table(other);
   }
   /* Two translations of one address: both go on counting, to the end of the run,
      because the core does not say which of them it discards.  */
   old->is_ambiguous = True;
   other->is_ambiguous = True;
   return other;
}

Block* block_at(Addr key)
{
   Block** line = cache_bucket(key);
   if (*line == NULL || (*line)->node.key != key)
      *line = VG_(HT_lookup)(blocks, key);
   return *line;
}

void block_free(Block* block)
{
   FunctionBlocks* of = blocks_of(block->function);
   Block** link = &of->first;
   while (*link != block)
      link = &(*link)->next_of_function;
   *link = block->next_of_function;
   give_back_slots(of, block->slot, block_n_counters(block));
   VG_(free)(block);
}

Bool block_translation_discarded(Addr key)
{
   Block* block = VG_(HT_lookup)(blocks, key);
   if (block != NULL)
      block->is_translated = False;
   return block != NULL;
}

Function* block_function_at(Addr key)
{
   Block* block = VG_(HT_lookup)(blocks, key);
   return block != NULL ? block->function : NULL;
}

Block* block_first_of(const Function* function) { return blocks_of(function)->first; }

UInt block_n_slots(const Function* function) { return blocks_of(function)->n_slots; }

void block_add_run_cost(const Block* block, UInt run, UInt from, ULong* cost)
{
   UInt begin = block_run_begin(block, run);
   cost[CostIr] += block->run_ends[run] - (from > begin ? from : begin);
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      if (event->run == run && event->instruction >= from)
         cost[event->event] += event->count;
   }
}

static const Inlined* inlined_of(const Block* block, UInt instruction)
{
   UInt span = 0;
   while (span + 1 < block->n_spans && block->spans[span + 1].first <= instruction)
      span++;
   return block_line_of(&block->spans[span]).inlined;
}

void block_add_inlined_cost(const Block* block, UInt run, const Inlined* inlined,
                            ULong* cost)
{
   for (UInt i = block_run_begin(block, run); i < block->run_ends[run]; i++)
      if (inlined_of(block, i) == inlined)
         cost[CostIr]++;
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      if (event->run == run && inlined_of(block, event->instruction) == inlined)
         cost[event->event] += event->count;
   }
}

void block_walk_begin(BlockWalk* walk, const Block* block)
{
   walk->block = block;
   walk->index = ~0u;
   walk->run = 0;
   walk->event = 0;
   walk->reference = 0;
   walk->file_address = block->file_address;
   walk->span = block->spans;
   walk->is_new_span = True;
}

void block_add_outcomes(const Block* block, const Reference* reference,
                        const ULong* counts, ULong* cost)
{
   const ULong* outcomes = counts + (reference->outcomes - block->slot);
   UInt n = reference_n_outcomes(reference);
   for (UInt i = 0; i < n; i++)
      cost[reference_event(reference, i)] += outcomes[i];
}

Bool block_walk(BlockWalk* walk, const ULong* counts, ULong* cost)
{
   const Block* block = walk->block;
   if (walk->index != ~0u)
      walk->file_address += block->sizes[walk->index];
   if (++walk->index == block->n_instructions)
      return False;
   while (block->run_ends[walk->run] <= walk->index)
      walk->run++;
   const LineSpan* next = walk->span + 1;
   Bool has_next = next < block->spans + block->n_spans && next->first <= walk->index;
   walk->is_new_span = walk->index == 0 || has_next;
   if (has_next)
      walk->span = next;
   cost_zero(cost);
   cost[CostIr] = counts[walk->run];
   for (; walk->event < block->n_events; walk->event++) {
      const StaticEvent* event = &block->events[walk->event];
      if (event->instruction != walk->index)
         break;
      cost[event->event] += counts[event->run] * event->count;
   }
   for (; walk->reference < block->n_references; walk->reference++) {
      const Reference* reference = &block->references[walk->reference];
      if (reference->instruction != walk->index)
         break;
      block_add_outcomes(block, reference, counts, cost);
   }
   return True;
}

/* True if no two blocks of `of` share a slot and none is out of range.  */
static Bool slots_are_disjoint(const FunctionBlocks* of)
{
   UChar* used = VG_(calloc)("block.check", of->n_slots + 1, 1);
   Bool valid = True;
   for (const Block* block = of->first; block != NULL; block = block->next_of_function)
      for (UInt s = block->slot; s < block->slot + block_n_counters(block); s++)
         if (s >= of->n_slots || used[s]++ != 0)
            valid = False;
   VG_(free)(used);
   return valid;
}

Bool block_all_valid(void)
{
   for (UInt id = 0; id < function_table_size; id++)
      if (!slots_are_disjoint(&function_table[id])) {
         VG_(umsg)("ct-check: blocks of function %u share counters\n", id);
         return False;
      }
   return True;
}
