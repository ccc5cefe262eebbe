/* SPDX-License-Identifier: GPL-2.0-or-later

   See transition_check.h.  */

#include "stack/frames/transition_check.h"

#include "stack/frames/shadowstack_check.h"
#include "stack/frames/shadowstack_running.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

/* A transition on the slow path takes longer than to verify so many frames; a superblock
   longer than one.  */
#define FRAMES_PER_TRANSITION 8

/* As many transitions lie between two that are verified, at least.  */
#define MIN_DISTANCE 32

static ULong n_transitions; /* on the slow path */
static ULong n_checks;
static ULong n_frames;       /* that were looked at */
static ULong n_until_next;   /* transitions */
static ULong blocks_at_next; /* superblocks executed */
static Bool is_slice_due;

/* What it takes to verify the running stack, in frames.  */
static ULong price(void)
{
   const ShadowStack* stack = shadowstack_now.stack;
   return shadowstack_depth(stack) + stack->n_activations / 8;
}

static void verify(void)
{
   tl_assert2(shadowstack_is_valid(shadowstack_now.stack),
              "the shadow stack is inconsistent");
   n_checks++;
   n_frames += price();
}

void transition_check_if_due(void)
{
   n_transitions++;
   if (options.check == CheckSampled) {
      if (n_until_next > 0)
         n_until_next--;
      if (n_until_next > 0 && !is_slice_due)
         return;
      n_until_next = MIN_DISTANCE + price() / FRAMES_PER_TRANSITION;
      is_slice_due = False;
   }
   verify();
}

void transition_check_at_slice(ULong blocks_run)
{
   if (options.check != CheckSampled || blocks_run < blocks_at_next)
      return;
   blocks_at_next = blocks_run + price();
   is_slice_due = True;
   shadowstack_disable_fast_path();
}

void transition_check_report(void)
{
   if (n_checks > 0)
      VG_(umsg)("ct-check: %llu of %llu transitions on the slow path verified, %llu "
                "frames looked at\n",
                n_checks, n_transitions, n_frames);
}
