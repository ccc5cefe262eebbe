/* SPDX-License-Identifier: GPL-2.0-or-later

   See segments.h.

   Owns the shape of the segment that is being recorded.  */

#include "instrument/segments.h"

#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "instrument/emit/cold_code.h"
#include "instrument/shape/references.h"
#include "instrument/shape/superblock_cycles.h"
#include "instrument/shape/superblock_shape.h"
#include "model/arc_targets.h"
#include "model/context.h"
#include "model/jump.h"
#include "stack/threads/recent_contexts.h"

/* The segment whose record is made.  Static, and used again for the next one, since it is
   too large for the core's stack.  */
static BlockShape shape;

/* Blocks of all segments but the first have keys that are not guest addresses.  */
static Addr segment_key(Addr key, UInt index)
{
   return index == 0 ? key : ~(key * SEGMENTS_MAX + index);
}

/* The record that counts the segment.  */
static Block* block_of_segment(const IRSB* in, const Segment* segment, Addr key)
{
   superblock_shape_find(in, segment, &shape);
   Block* retired;
   Block* block = block_intern(key, &shape, &retired);
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

UInt segments_find(const IRSB* in, Addr key, ThreadId thread, Segment* segments)
{
   UInt first = 0;
   while (first < (UInt)in->stmts_used && in->stmts[first]->tag != Ist_IMark)
      first++;
   if (first == (UInt)in->stmts_used)
      return 0;
   UInt n = superblock_shape_divide(in, first, key, segments);
   references_begin(in, thread);
   if (cost_is_counted(EventCy))
      superblock_cycles_find(in);
   for (UInt i = 0; i < n; i++) {
      Segment* segment = &segments[i];
      Addr own_key = segment_key(key, i);
      segment->plan =
         references_find(in, segment->first, segment->end, block_at(own_key));
      segment->block = block_of_segment(in, segment, own_key);
   }
   return n;
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
