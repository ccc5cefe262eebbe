/* SPDX-License-Identifier: GPL-2.0-or-later

   See segments.h.  Keeps nothing.  */

#include "instrument/segments.h"

#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "instrument/emit/cold_code.h"
#include "instrument/shape/references.h"
#include "layout/code_layout.h"
#include "model/arc_targets.h"
#include "model/context.h"
#include "model/jump.h"
#include "stack/threads/recent_contexts.h"

/* Blocks of all segments but the first have keys that are not guest addresses.  */
static Addr segment_key(Addr key, UInt index)
{
   return index == 0 ? key : ~(key * SEGMENTS_MAX + index);
}

/* The record that counts the segment.  */
static Block* block_of_segment(SuperblockState* superblock, const Segment* segment,
                               Addr key)
{
   superblock_shape_find(superblock->in, segment, &superblock->cycles,
                         &superblock->shape);
   Block* retired;
   Block* block = block_intern(key, &superblock->shape, &retired);
   if (retired != NULL) {
      jump_retire_block(retired);
      context_retire_block(retired);
      recent_contexts_after_retiring(retired);
      cold_code_retire_block(retired);
      if (retired->function != block->function)
         arc_forget_target(key);
      block_free(retired);
   }
   context_note_block(block);
   context_make_room(block->function);
   return block;
}

/* What the simulated machine takes the addresses of the segment to be higher by.  */
static Addr shift_of(const IRSB* in, const Segment* segment)
{
   UChar sizes[BLOCK_MAX_INSTRUCTIONS];
   FirstCode code = {sizes, 0};
   Bool is_simulated = cost_is_counted(EventDr) || cost_is_counted(EventBc);
   if (options.layout == LayoutReal || !is_simulated)
      return 0;
   for (UInt i = segment->first; i < segment->end; i++)
      if (in->stmts[i]->tag == Ist_IMark && code.n < BLOCK_MAX_INSTRUCTIONS)
         sizes[code.n++] = (UChar)in->stmts[i]->Ist.IMark.len;
   return code_layout_shift(segment->function,
                            (Addr)in->stmts[segment->first]->Ist.IMark.addr, &code);
}

void segments_find(SuperblockState* superblock, Addr key, ThreadId thread)
{
   const IRSB* in = superblock->in;
   UInt first = 0;
   superblock->n_segments = 0;
   while (first < (UInt)in->stmts_used && in->stmts[first]->tag != Ist_IMark)
      first++;
   if (first == (UInt)in->stmts_used)
      return;
   superblock->n_segments = superblock_shape_divide(in, first, key, superblock->segments);
   references_begin(&superblock->plans, &superblock->bases, in, thread);
   if (cost_is_counted(EventCy))
      superblock_cycles_find(&superblock->cycles, in);
   for (UInt i = 0; i < superblock->n_segments; i++) {
      Segment* segment = &superblock->segments[i];
      Addr own_key = segment_key(key, i);
      segment->plan =
         references_find(&superblock->plans, &superblock->bases, in, segment->first,
                         segment->end, block_at(own_key), shift_of(in, segment));
      segment->block = block_of_segment(superblock, segment, own_key);
   }
}

Bool segments_are_divided(Addr key)
{
   const Block* second = block_at(segment_key(key, 1));
   return second != NULL && second->is_translated;
}

Bool segments_take_up(Addr key, SizeT length)
{
   Block* block = block_at(key);
   Place place = address_place_of(block->address);
   Bool is_same = address_is_jit_code(&place)
                     ? superblock_shape_function_of(key, block->address, length,
                                                    &place) == block->function
                     : place.object == block->function->object &&
                          place.file_address == block->file_address;
   block->is_translated = is_same;
   return is_same;
}

void segments_discarded(Addr key, Bool counts)
{
   const Function* function = block_function_at(key);
   if (function != NULL)
      jit_functions_discarded(function);
   for (UInt i = 0; i < SEGMENTS_MAX && counts; i++)
      if (!block_translation_discarded(segment_key(key, i)))
         break;
}
