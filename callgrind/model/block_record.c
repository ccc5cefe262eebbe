/* SPDX-License-Identifier: GPL-2.0-or-later

   Making and comparing records of blocks; see block_record.h.  */

#include "model/block_record.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/*--------------------------------------------------------------------*/
/* Comparing                                                           */

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
          a->inlined != b->inlined || a->is_guarded != b->is_guarded ||
          VG_(memcmp)(a->late, b->late, sizeof a->late) != 0)
         return False;
   }
   return True;
}

Bool block_record_has_shape(const Block* block, const BlockShape* shape)
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

Bool block_record_has_groups(const Block* block, const BlockShape* shape)
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

void block_record_take_groups(Block* block, const BlockShape* shape)
{
   for (UInt i = 0; i < block->n_references; i++) {
      block->references[i].argument = shape->references[i].argument;
      block->references[i].is_last = shape->references[i].is_last;
      block->references[i].before = shape->references[i].before;
   }
   reference_pack(block->references, block->n_references, block->accesses);
}

/*--------------------------------------------------------------------*/
/* Making                                                              */

/* Copies an array of the shape to *memory, in the record, and moves that on behind
   it.  */
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

/* Fills the arrays, those of the largest alignment first.  */
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

UInt block_record_n_counters(const BlockShape* shape)
{
   return shape->n_runs + shape->n_jumps + shape->n_outcomes;
}

Block* block_record_make(Addr key, const BlockShape* shape, UInt slot)
{
   Block* block = VG_(malloc)("block.record", sizeof(Block) + size_of_arrays(shape));
   block->key = key;
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
   block->is_at_key = False;
   block->has_cold_runs = False;
   copy_arrays(block, shape, (UChar*)(block + 1));

   block->slot = slot;
   block->since = 0;
   for (UInt i = 0; i < block->n_references; i++)
      block->references[i].outcomes += block->slot + block->n_runs + block->n_jumps;
   reference_pack(block->references, block->n_references, block->accesses);
   block->next_of_function = block->previous_of_function = NULL;
   return block;
}
