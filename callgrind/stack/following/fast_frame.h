/* SPDX-License-Identifier: GPL-2.0-or-later

   Fast path: frames and clocks.  How the fast path walks frames, copies clocks and books
   costs, for the set of events that is counted.

   The fast path is compiled several times, from the same inline functions: for one
   event, which is the default; for the numbers of frequent events that caches, branches
   and both have, and caches and both with --cycle-estimation; and for any others. A
   HelperVariant is a constant wherever it is passed, so the compiler keeps only what
   the set needs. What only other paths than the most frequent one ask (is_flat()) is no
   variant: an option that is read there costs nothing that can be measured, and doubled
   the variants.

   Frames record the clock of frequent events only, as long as nothing rare happens;
   see rare_sync.h.  */

#ifndef CALLGRIND_FAST_FRAME_H
#define CALLGRIND_FAST_FRAME_H

#include "base/always_inline.h"
#include "guest/arch.h"
#include "model/timeline.h"
#include "options/options.h"
#include "stack/frames/shadowstack_types.h"

typedef enum {
   OneEvent,
   ThreeEvents, /* that are frequent, and any number of rare ones: caches */
   FourEvents,  /* branches */
   FiveEvents,  /* caches, and two kinds of cycles */
   SixEvents,   /* caches and branches */
   EightEvents, /* all of these */
   SeveralEvents,
   OneFrequentEvent, /* and rare ones: system calls, allocations */
   AndTree = 8,      /* besides one of these: --call-tree */
   AndTimeline = 16  /* besides one of these, and perhaps AndTree: --timeline */
} HelperVariant;

ALWAYS_INLINE Bool has_tree(HelperVariant variant) { return (variant & AndTree) != 0; }

ALWAYS_INLINE Bool has_timeline(HelperVariant variant)
{
   return (variant & AndTimeline) != 0;
}

ALWAYS_INLINE HelperVariant variant_alone(HelperVariant variant)
{
   return variant & ~(UInt)(AndTree | AndTimeline);
}

/* --tail-calls=flat */
static inline Bool is_flat(void) { return options.tail_calls == TailCallsFlat; }

ALWAYS_INLINE Bool is_one(HelperVariant variant)
{
   return variant_alone(variant) == OneEvent;
}

/* The guest's registers are in its state at the start of a superblock, where VEX has
   written back all that it keeps in host registers.  */
static inline Addr guest_sp(const UChar* state)
{
   return *(const Addr*)(state + ARCH_SP_OFFSET);
}

static inline Addr guest_ip(const UChar* state)
{
   return *(const Addr*)(state + ARCH_IP_OFFSET);
}

/*--------------------------------------------------------------------*/
/* Frames, whose size is a constant with one event                     */

ALWAYS_INLINE SizeT frame_size(HelperVariant variant)
{
   return !is_one(variant) ? shadowstack_frame_size
                           : sizeof(Frame) + sizeof(ULong) +
                                (has_timeline(variant) ? SHADOWSTACK_PIN_SIZE : 0);
}

ALWAYS_INLINE Frame* frame_below(Frame* frame, HelperVariant variant)
{
   return (Frame*)((UChar*)frame - frame_size(variant));
}

ALWAYS_INLINE Frame* frame_above(Frame* frame, HelperVariant variant)
{
   return (Frame*)((UChar*)frame + frame_size(variant));
}

/*--------------------------------------------------------------------*/
/* Clocks                                                              */

ALWAYS_INLINE UInt n_frequent(HelperVariant variant)
{
   switch (variant_alone(variant)) {
   case OneEvent:
   case OneFrequentEvent: return 1;
   case ThreeEvents: return 3;
   case FourEvents: return 4;
   case FiveEvents: return 5;
   case SixEvents: return 6;
   case EightEvents: return 8;
   default: return cost_n_frequent();
   }
}

ALWAYS_INLINE UInt n_paired(HelperVariant variant)
{
   if (!ARCH_COUNTS_IN_PAIRS)
      return 0;
   switch (variant_alone(variant)) {
   case OneEvent:
   case OneFrequentEvent: return 0;
   case ThreeEvents:
   case FourEvents: return 2;
   case FiveEvents:
   case SixEvents: return 4;
   case EightEvents: return 6;
   default: return cost_n_paired();
   }
}

/* Compilers leave loops of three and six rounds as loops, which take twice as many
   instructions.  */
#define UNROLLED _Pragma("GCC unroll 8")

/* Copies the clock of frequent events.  */
ALWAYS_INLINE void copy_frequent(ULong* to, HelperVariant variant)
{
   cost_copy_pairs(to, cost_clock, 0, n_paired(variant));
   UNROLLED
   for (UInt e = n_paired(variant); e < n_frequent(variant); e++)
      to[e] = cost_clock[e];
}

/* Adds what frequent events have cost since the clock stood at `begin`.  */
ALWAYS_INLINE void add_frequent(ULong* to, const ULong* begin, HelperVariant variant)
{
   cost_add_span_pairs(to, cost_clock, begin, 0, n_paired(variant));
   UNROLLED
   for (UInt e = n_paired(variant); e < n_frequent(variant); e++) {
      ULong span = cost_clock[e] - begin[e];
      /* One instruction adds it to memory, but the compiler would rather add the clock to
         what is there, and then subtract.  */
      __asm__("" : : "r"(span));
      to[e] += span;
   }
}

/* As copy_frequent() and add_frequent(), of rare events.  */
ALWAYS_INLINE void copy_rare(ULong* to)
{
   cost_copy_pairs(to, cost_clock, cost_n_frequent(), cost_n_events());
}

ALWAYS_INLINE void add_rare(ULong* to, const ULong* begin)
{
   cost_add_span_pairs(to, cost_clock, begin, cost_n_frequent(), cost_n_events());
}

/* Is the frame synced with rare events?  If not, none has happened since it was
   entered, and there is nothing to add or to copy.  */
ALWAYS_INLINE Bool is_rare_synced(const Frame* frame, HelperVariant variant)
{
   return !is_one(variant) && UNLIKELY(frame <= shadowstack_now.rare_synced);
}

/* With --timeline: may the call have lasted long enough to be kept?  */
ALWAYS_INLINE Bool is_long(const Frame* frame, HelperVariant variant)
{
   return has_timeline(variant) &&
          UNLIKELY(cost_clock[CostIr] - frame->entry[CostIr] >= timeline_limit);
}

/*--------------------------------------------------------------------*/
/* Booking                                                             */

/* Books on its owner what a skipped frame has cost since `entry`.  */
ALWAYS_INLINE void book_skipped(Frame* skipped, HelperVariant variant)
{
   add_frequent(skipped->arc->inclusive, skipped->entry, variant);
   if (is_rare_synced(skipped, variant))
      add_rare(skipped->arc->inclusive, skipped->entry);
}

/* A skipped frame's cost counts from now on.  */
ALWAYS_INLINE void restart_skipped(Frame* skipped, HelperVariant variant)
{
   copy_frequent(skipped->entry, variant);
   if (is_rare_synced(skipped, variant))
      copy_rare(skipped->entry);
}

/* Books what the topmost frame has cost, which is being left, and which was entered by
   `arc`.  */
ALWAYS_INLINE void book_left_by(Arc* arc, Frame* frame, HelperVariant variant)
{
   add_frequent(arc->inclusive, frame->entry, variant);
   if (is_rare_synced(frame, variant)) {
      add_rare(arc->inclusive, frame->entry);
      shadowstack_now.rare_synced = frame_below(frame, variant);
   }
}

ALWAYS_INLINE void book_left(Frame* frame, HelperVariant variant)
{
   book_left_by(frame->arc, frame, variant);
}

/* Another node of the call tree runs from now on.  While the last one ran, rare
   events may have happened only if the frame on top was synced with them
   (rare_sync.h).  */
ALWAYS_INLINE void run_node(TreeNode* node, Bool may_have_rare, HelperVariant variant)
{
   if (!has_tree(variant))
      return;
   add_frequent(calltree_now.node->self, calltree_now.booked, variant);
   copy_frequent(calltree_now.booked, variant);
   if (may_have_rare) {
      add_rare(calltree_now.node->self, calltree_now.booked);
      copy_rare(calltree_now.booked);
   }
   calltree_now.node = node;
   if (UNLIKELY(calltree_has_inlined))
      calltree_count_inlined(!(shadowstack_now.top->flags & FrameSkipped));
}

#endif
