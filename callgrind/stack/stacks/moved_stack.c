/* SPDX-License-Identifier: GPL-2.0-or-later

   Stacks that move; see moved_stack.h.  */

#include "stack/stacks/moved_stack.h"

#include "guest/arch.h"
#include "guest/memory.h"
#include "stack/frames/shadowstack_regions.h"

/* How many frames are compared at most.  Coroutines may have called the same functions
   from the same places; then what they had on their stacks tells them apart.  */
#define MAX_COMPARED 64

/* In memory that has been copied away and back, so many words may have changed: the
   function that copies runs in it.  */
#define MAX_OTHERS 2

/* How many words at either end of a function's part of the stack are searched.  */
#define MAX_WORDS_SEARCHED 64

/* So many of the outermost frames may have no known slot: the process's first functions
   jump to one another.  */
#define MAX_OUTERMOST 8

/* So many words tell a stack of which no return address does.  */
#define LEAST_WORDS 6

/* How many words a stack pointer may be from where it was left.  */
#define MAX_WORDS_OFF 16

/* Does the program's memory tell whether this frame lies there?  Not if its return
   address is unknown, may have been replaced, or may lie anywhere.  */
static Bool is_comparable(const Frame* frame)
{
   return frame->slot != SHADOWSTACK_TOP_SLOT &&
          !(frame->flags & (FrameInner | FrameBarrier | FrameStackSwitch)) &&
          shadowstack_return_address(frame) != 0;
}

/* Where the frame's part of the stack begins, which is where those that it has called
   end.  0: not known.  */
static Addr low_of(const ShadowStack* stack, UInt region, const Frame* frame)
{
   const Frame* top = shadowstack_region_top(stack, region);
   const Frame* above = frame;
   while (above < top) {
      above = shadowstack_above(above);
      if (!(above->flags & FrameTail))
         return above->slot == SHADOWSTACK_TOP_SLOT ? 0
                                                    : shadowstack_sp_after(above->slot);
   }
   return stack->regions[region].low;
}

/* Do the `n` words from `start` on, MAX_WORDS_SEARCHED at most, hold this value?  */
static Bool have_word(Addr start, SizeT n, Addr value)
{
   Addr words[MAX_WORDS_SEARCHED];
   if (!guest_memory_copy(words, start, n * sizeof *words))
      return False;
   for (SizeT i = 0; i < n; i++)
      if (words[i] == value)
         return True;
   return False;
}

/* A function that has called has its return address somewhere in its part of the stack,
   where a call does not push it: compilers put it at either end of that.  */
static Int is_in_part(const ShadowStack* stack, UInt region, const Frame* frame,
                      Word delta, Addr live)
{
   Addr low = low_of(stack, region, frame), end = shadowstack_sp_after(frame->slot);
   if (live > low && live < end)
      low = live;
   if (low == 0 || low >= end || low % sizeof(Addr) != 0)
      return -1;
   SizeT n = (end - low) / sizeof(Addr);
   SizeT most = n < MAX_WORDS_SEARCHED ? n : MAX_WORDS_SEARCHED;
   Addr value = shadowstack_return_address(frame);
   return have_word(low + (Addr)delta, most, value) ||
          (n > most && have_word(end - most * sizeof(Addr) + (Addr)delta, most, value));
}

/* Does the frame's return address lie in memory, if the frame is `delta` further up?  1:
   yes; 0: no; -1: nothing tells.  What lies below `live` is what others have left.  */
static Int is_there(const ShadowStack* stack, UInt region, const Frame* frame, Word delta,
                    Addr live)
{
   if (!is_comparable(frame))
      return -1;
   if (!ARCH_CALL_PUSHES)
      return is_in_part(stack, region, frame, delta, live);
   Addr word;
   return guest_memory_word(frame->slot + (Addr)delta, &word) &&
          word == shadowstack_return_address(frame);
}

Int relocation_compare(const ShadowStack* stack, UInt region, const Frame* from,
                       Word delta)
{
   const Frame* base = shadowstack_at_depth(stack, stack->regions[region].depth);
   Int n = 0;
   for (const Frame* frame = from; frame > base && n < MAX_COMPARED;
        frame = shadowstack_below(frame)) {
      Int in_memory = is_there(stack, region, frame, delta, 0);
      if (in_memory == 0)
         return -1;
      n += in_memory > 0;
   }
   return n;
}

/* Does the i-th word that was remembered lie `delta` further up?  One that points into
   the region may have been changed.  */
static Bool is_same_word(const StackRegion* region, UInt i, Word delta)
{
   Addr word = region->kept.words[i];
   Addr at = region->kept.low + i * sizeof(Addr) + (Addr)delta;
   Addr there;
   if (!guest_memory_word(at, &there))
      return False;
   return there == word || (word >= region->kept.low && word <= region->end &&
                            there == word + (Addr)delta);
}

/* Do all words that were remembered lie there, from `low` on, and are they enough?  */
static Bool are_all_there(const StackRegion* region, Word delta, Addr low)
{
   UInt n = 0;
   for (UInt i = 0; i < region->kept.n; i++) {
      if (region->kept.low + i * sizeof(Addr) + (Addr)delta < low)
         continue;
      if (!is_same_word(region, i, delta))
         return False;
      n++;
   }
   return n >= LEAST_WORDS;
}

/* The topmost frame returns to `target`, and its callers lie at the same distance.  */
static Bool returns_there(const ShadowStack* stack, UInt region, const Frame* top,
                          const Arrival* at, Word* delta)
{
   if (!is_comparable(top) || shadowstack_return_address(top) != at->target)
      return False;
   *delta = (Word)(at->sp - shadowstack_sp_after(top->slot));
   while (top->flags & FrameTail)
      top = shadowstack_below(top);
   Int n = relocation_compare(stack, region, shadowstack_below(top), *delta);
   return n > 0 || (n == 0 && are_all_there(&stack->regions[region], *delta, at->low));
}

/* The topmost function goes on about where it was left.  */
static Bool goes_on_there(const ShadowStack* stack, UInt region, const Frame* top,
                          Addr sp, Word* delta)
{
   Addr low = stack->regions[region].low;
   if (low == 0 || !is_comparable(top))
      return False;
   for (Word off = -MAX_WORDS_OFF; off <= MAX_WORDS_OFF; off++) {
      *delta = (Word)(sp - low) - off * (Word)sizeof(Addr);
      if (relocation_compare(stack, region, top, *delta) > 0)
         return True;
   }
   return False;
}

Int relocation_is_in_memory(const ShadowStack* stack, UInt region, const Frame* frame)
{
   return is_there(stack, region, frame, 0, 0);
}

Int relocation_is_live(const ShadowStack* stack, UInt region, const Frame* frame,
                       Addr live)
{
   return is_there(stack, region, frame, 0, live);
}

UInt relocation_matches(const ShadowStack* stack, UInt region, const Frame* from)
{
   const Frame* base = shadowstack_at_depth(stack, stack->regions[region].depth);
   UInt n = 0;
   for (const Frame* frame = from; frame > base && n < MAX_COMPARED;
        frame = shadowstack_below(frame)) {
      Int in_memory = is_there(stack, region, frame, 0, 0);
      if (in_memory == 0)
         return n;
      n += in_memory > 0;
   }
   return n;
}

/* Up to where the memory from `low` on may be read.  Up to the slot of the outermost
   frame that has a known one the program has written there; behind it, as far as the
   frames may reach, but no page further: what follows may be the guard of another
   thread's stack, which glibc 2.42 makes by madvise(), so that the core takes it for
   memory like any other.  */
static Addr readable_end(const ShadowStack* stack, const StackRegion* region, Addr low)
{
   const Frame* frame = shadowstack_at_depth(stack, region->depth);
   for (UInt i = 0; i < MAX_OUTERMOST && frame < shadowstack_top_of(stack); i++) {
      frame = shadowstack_above(frame);
      if (frame->slot < region->end)
         return frame->slot;
   }
   Addr end = guest_memory_page_end(low);
   return region->end < end ? region->end : end;
}

void relocation_keep(const ShadowStack* stack, Addr low, StackWords* kept)
{
   Addr end = readable_end(stack, shadowstack_region(stack), low);
   Addr most = low + STACK_WORDS * sizeof(Addr);
   UInt n = 0;
   if (end > most)
      end = most;
   if (end > low)
      n = (UInt)((end - low + sizeof(Addr) - 1) / sizeof(Addr));
   if (!guest_memory_copy(kept->words, low, n * sizeof(Addr)))
      n = 0;
   kept->low = low;
   kept->n = n;
}

void relocation_remember(ShadowStack* stack, Addr low)
{
   relocation_keep(stack, low, &shadowstack_region(stack)->kept);
}

/* How many of the words that were remembered lie `delta` further up.  Those that point
   into the region may have been changed.  */
static UInt same_words(const StackRegion* region, Word delta)
{
   UInt n = 0;
   for (UInt i = 0; i < region->kept.n; i++)
      n += is_same_word(region, i, delta);
   return n;
}

static UInt likeness_at(const StackRegion* region, Word delta)
{
   UInt most = RELOCATION_SAME - 1;
   UInt n = region->kept.n;
   return 1 + (n == 0 ? most / 2 : same_words(region, delta) * most / n);
}

UInt relocation_likeness_here(const StackRegion* region)
{
   return likeness_at(region, 0);
}

LikenessRun relocation_run(const StackWords* kept)
{
   LikenessRun run = {0, 0};
   UInt n_others = 0;
   for (; run.nearly < kept->n; run.nearly++) {
      Addr at = kept->low + run.nearly * sizeof(Addr);
      Addr word;
      if (!guest_memory_word(at, &word) || word != kept->words[run.nearly]) {
         if (n_others == MAX_OTHERS)
            break;
         n_others++;
      }
      run.words += n_others == 0;
   }
   return run;
}

UInt relocation_likeness(const ShadowStack* stack, UInt region, const Arrival* at,
                         Word* delta)
{
   const Frame* top = shadowstack_region_top(stack, region);
   if (!returns_there(stack, region, top, at, delta) &&
       (at->function == NULL || shadowstack_function(top) != at->function ||
        !goes_on_there(stack, region, top, at->sp, delta)))
      return 0;
   return likeness_at(&stack->regions[region], *delta);
}

void relocation_move(ShadowStack* stack, UInt region, Word delta)
{
   StackRegion* moved = &stack->regions[region];
   Frame* base = shadowstack_at_depth(stack, moved->depth);
   for (Frame* frame = shadowstack_region_top(stack, region); frame > base;
        frame = shadowstack_below(frame))
      if (frame->slot != SHADOWSTACK_TOP_SLOT)
         frame->slot += (Addr)delta;
   if (base->flags & FrameStackSwitch)
      base->slot += (Addr)delta;
   moved->end += (Addr)delta;
   moved->kept.low += (Addr)delta;
   if (moved->low != 0)
      moved->low += (Addr)delta;
}
