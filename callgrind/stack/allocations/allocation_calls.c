/* SPDX-License-Identifier: GPL-2.0-or-later

   See allocation_calls.h.  */

#include "stack/allocations/allocation_calls.h"

#include "guest/arch.h"
#include "guest/memory.h"
#include "model/allocations/alloc_owners.h"
#include "model/allocations/alloc_paths.h"
#include "model/allocations/live_blocks.h"
#include "options/allocators.h"
#include "stack/allocations/frame_paths.h"
#include "stack/frames/rare_sync.h"
#include "stack/frames/timed_frames.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

static ULong n_unknown_frees;

/* Blocks whose size was changed, to how many bytes in all, and by how many they grew.  */
static struct {
   ULong blocks, to, grown;
} resized;

void allocation_calls_tell(void)
{
   if (n_unknown_frees > 0)
      VG_(umsg)("Frees of what is no block, or was allocated unseen: %'llu\n",
                n_unknown_frees);
}

void allocation_calls_print_stats(void)
{
   VG_(message)(Vg_DebugMsg,
                "allocations: %llu live blocks in %llu bytes, %u owners, %u paths\n",
                live_blocks_count(), live_blocks_memory(), alloc_owners_count(),
                alloc_paths_count());
   VG_(message)(Vg_DebugMsg, "allocations: %llu blocks resized to %llu bytes, by %llu\n",
                resized.blocks, resized.to, resized.grown);
}

/*--------------------------------------------------------------------*/
/* Registers                                                           */

/* The word at this offset in the running thread's guest state.  */
static UWord guest_word(UInt offset)
{
   if (LIKELY(shadowstack_now.guest_state != shadowstack_no_guest_state))
      return *(const UWord*)(shadowstack_now.guest_state + offset);
   UWord word;
   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)&word, 0, (PtrdiffT)offset,
                             sizeof word);
   return word;
}

/* 0 if there is no such argument.  */
static UWord argument(const Allocator* allocator, UInt number)
{
   if (number == 0)
      return 0;
   return guest_word(allocator->arguments == ArgumentsOfGo
                        ? arch_go_argument_offset(number)
                        : arch_argument_offset(number));
}

static ULong wanted_size(const Allocator* allocator)
{
   ULong size = argument(allocator, allocator->size);
   return allocator->count != 0 ? size * argument(allocator, allocator->count) : size;
}

/* The block that the allocator returns; 0 if it has failed.  */
static Addr new_block(const Allocator* allocator, const AllocationCall* call)
{
   UWord result = guest_word(ARCH_RESULT_OFFSET);
   if (allocator->out == 0)
      return allocator->fails_with_all_ones && result == ~(UWord)0 ? 0 : result;
   Addr block;
   return (UInt)result == 0 && guest_memory_word(call->out, &block) ? block : 0;
}

/*--------------------------------------------------------------------*/
/* Booking                                                             */

/* Where what an allocator does is booked: where it was called.  */
typedef struct {
   AllocPlace place; /* its path is not set */
   Frame* frame;     /* of the path */
   Frame* callee;    /* the allocator's; it and those above have no part in the cost */
} Caller;

static Caller caller_of(Frame* allocator)
{
   if (allocator->flags & FrameSkipped)
      return (Caller){{0, allocator->context, allocator->skipped_site, allocator->node},
                      allocator,
                      allocator};
   Frame* below = shadowstack_below(allocator);
   if (allocator->arc != NULL)
      return (Caller){{0, allocator->arc->caller, allocator->arc->site, below->node},
                      below,
                      allocator};
   return (Caller){{0, allocator->context, callsite_unknown(allocator->context->function),
                    allocator->node},
                   allocator,
                   shadowstack_above(allocator)};
}

/* The clock goes on by what the caller has spent, not what it has called.  */
static void advance(const Caller* caller, Event event, ULong count)
{
   const UInt e = cost_index(event);
   cost_clock[e] += count;
   for (Frame* frame = caller->callee; frame <= shadowstack_now.top;
        frame = shadowstack_above(frame))
      frame->entry[e] += count;
   calltree_add(caller->place.node, e, count);
}

/* Is what happens counted?  Otherwise it is only kept in mind.  */
static Bool is_counted(void) { return shadowstack_now.stack->is_collecting; }

/* Returns the owner of what is allocated.  */
static UInt book_allocation(Frame* allocator, ULong blocks, ULong bytes)
{
   Caller caller = caller_of(allocator);
   caller.place.path = frame_path(caller.frame);
   rare_sync();
   advance(&caller, EventAllocCount, blocks);
   advance(&caller, EventAllocSize, bytes);
   UInt owner = alloc_owner_at(&caller.place);
   alloc_owner_count(owner, blocks, bytes);
   return owner;
}

static void book_free(Frame* allocator)
{
   Caller caller = caller_of(allocator);
   rare_sync();
   advance(&caller, EventFreeCount, 1);
   caller.place.node = NULL; /* it has the cost by the clock */
   alloc_owner_count_free(alloc_owner_at(&caller.place));
}

/* The block at `address` is no more.  False if there is none.  */
static Bool take(Addr address, LiveBlock* block)
{
   if (!live_blocks_take(address, block))
      return False;
   alloc_owner_release(block->owner, block->size);
   timed_frames_held(alloc_owners_held());
   return True;
}

static void keep(Addr address, ULong size, UInt owner)
{
   LiveBlock replaced;
   if (live_blocks_add(address, (LiveBlock){size, owner}, &replaced))
      alloc_owner_release(replaced.owner, replaced.size);
   alloc_owner_hold(owner, size);
   timed_frames_held(alloc_owners_held());
}

/*--------------------------------------------------------------------*/
/* Entry                                                               */

/* The frame of the allocator that the thread is at the start of, or the skipped one that
   it runs in; NULL if it is not at the start of one that was called.  */
static Frame* frame_at_start(UInt number, Addr slot)
{
   Frame* top = shadowstack_now.top;
   if (top->flags & FrameBarrier)
      return NULL;
   if (top->flags & FrameSkipped)
      return top;
   return top->context->function->allocator == number && top->slot == slot &&
                !(top->flags & FrameInner)
             ? top
             : NULL;
}

/* Makes the fast path leave the frame to allocation_calls_return().  */
static void mark(Frame* frame)
{
   if (frame->flags == FRAME_PLAIN)
      frame->return_address = frame->arc->return_address;
   frame->flags |= FrameAllocates;
}

/* The block that was freed last, and the frame of the allocator that did.  */
static struct {
   Addr block, slot, return_address;
} freed;

/* Has an outer allocator, which called or jumped to this one, freed the block just now?
   With --tail-calls=flat it is not below.  In skipped code nobody knows.  */
static Bool is_freed_by_outer(const Frame* frame, Addr block)
{
   const Frame* below =
      shadowstack_below(frame); /* or a stub that the caller jumped to */
   return frame->flags & FrameSkipped ||
          (!(below->flags & FrameBarrier) && below->context->function->allocator != 0) ||
          (freed.block == block && freed.slot == frame->slot &&
           freed.return_address == shadowstack_return_address(frame));
}

/* Whoever frees a block that lives frees it, also within an allocator: a handler that
   operator new() calls.  An allocator that frees need not be waited for: what it calls
   finds the block gone.  */
static void free_block(Frame* frame, Addr address, Bool is_inner)
{
   LiveBlock block;
   if (!take(address, &block)) {
      if (!is_inner && !is_freed_by_outer(frame, address))
         n_unknown_frees++;
      return;
   }
   freed.block = address;
   freed.slot = frame->slot;
   freed.return_address = shadowstack_return_address(frame);
   if (is_counted())
      book_free(frame);
}

void allocation_calls_enter(UWord number)
{
   const Allocator* allocator = allocators_at((UInt)number);
   AllocationCall* call = &shadowstack_now.at.allocation;
   const Addr slot = arch_slot(guest_word(ARCH_SP_OFFSET));
   Frame* frame = frame_at_start((UInt)number, slot);
   if (frame == NULL)
      return;
   const Bool is_inner = call->slot != 0 && slot <= call->slot;
   if (allocator_only_frees(allocator)) {
      const Addr block = argument(allocator, allocator->old);
      if (block != 0 && !(is_inner && block == call->old)) /* that is resized */
         free_block(frame, block, is_inner);
      return;
   }
   if (is_inner)
      return;
   Addr return_address;
   if (frame->flags & FrameSkipped) {
      if (!arch_return_address(slot, &return_address))
         return;
   } else
      return_address = shadowstack_return_address(frame);
   *call = (AllocationCall){slot,
                            return_address,
                            (UInt)number,
                            wanted_size(allocator),
                            argument(allocator, allocator->old),
                            argument(allocator, allocator->out)};
   mark(frame);
}

void allocation_calls_enter_off(UWord number)
{
   const Allocator* allocator = allocators_at((UInt)number);
   LiveBlock block;
   (void)take(argument(allocator, allocator->old), &block);
}

/*--------------------------------------------------------------------*/
/* Return                                                              */

/* The block at `old` has become the one at `address`; 0: it has not.  */
static void end_resizing(Frame* frame, const AllocationCall* call, Addr address)
{
   LiveBlock block;
   if (address == 0) {
      if (call->size == 0) /* realloc(block, 0) frees */
         free_block(frame, call->old, True);
      return;
   }
   const Bool is_known = take(call->old, &block);
   const ULong size = call->size;
   if (!is_known && is_counted())
      keep(address, size, book_allocation(frame, 1, size));
   if (!is_known)
      return;
   if (is_counted()) {
      const ULong more = size > block.size ? size - block.size : 0;
      book_allocation(frame, 0, more);
      resized.blocks++;
      resized.to += size;
      resized.grown += more;
   }
   keep(address, size, block.owner); /* who has allocated it holds it */
}

/* The frame that was marked; NULL if there is none any more.  */
static Frame* marked_frame(void)
{
   Frame* frame = shadowstack_now.top;
   while (!(frame->flags & (FrameAllocates | FrameBarrier)))
      frame = shadowstack_below(frame);
   return frame->flags & FrameAllocates ? frame : NULL;
}

void allocation_calls_end(void)
{
   const AllocationCall call = shadowstack_now.at.allocation;
   const Allocator* allocator = allocators_at(call.allocator);
   Frame* frame = marked_frame();
   shadowstack_now.at.allocation.slot = 0;
   if (frame == NULL)
      return;
   frame->flags &= ~(UInt)FrameAllocates;
   const Addr address = new_block(allocator, &call);
   if (call.old != 0)
      end_resizing(frame, &call, address);
   else if (address != 0 && is_counted())
      keep(address, call.size, book_allocation(frame, 1, call.size));
}
