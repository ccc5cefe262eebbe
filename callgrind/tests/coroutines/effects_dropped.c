/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -mno-red-zone
   Fibers that perform an effect and are never resumed, so that their stacks serve other
   fibers.  An outer one begins an inner one on another stack, which performs the effect;
   both wait for ever.  Then two more fibers run on the outer one's stack, one after the
   other: from its end on, or from the middle of the outer one's frame.  The first of
   them, which another fiber begins, goes further down than the outer one did, but writes
   next to nothing there.
*/

#include "fiber_switches.h"

/* Takes so many bytes of the stack, and writes nothing there.  */
#define TAKE(BYTES)                                                                      \
   char room[BYTES];                                                                     \
   __asm__ volatile("" : : "r"(room))

static void *main_place, *outer_place, *inner_place, *between_place, *deep_place;
static char stack[65536], other_stack[65536] __attribute__((aligned(16)));
#define END(STACK) ((STACK) + sizeof(STACK))
static int n_bytes_off;
volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE void* inner(void)
{
   perform(&inner_place, main_place);
   __builtin_trap();
}

OPAQUE void* outer(void)
{
   TAKE(4096);
   run_fiber(&outer_place, END(other_stack), inner);
   __builtin_trap();
}

OPAQUE void* deep(void)
{
   TAKE(8192);
   perform(&deep_place, main_place);
   __builtin_trap();
}

OPAQUE void* between(void)
{
   run_fiber(&between_place, END(stack) - n_bytes_off, deep);
   __builtin_trap();
}

OPAQUE void* last(void)
{
   leaf();
   return main_place;
}

int main(void)
{
   for (n_bytes_off = 0; n_bytes_off < 3072; n_bytes_off += 1024) {
      run_fiber(&main_place, END(stack), outer);
      run_fiber(&main_place, END(other_stack), between);
      run_fiber(&main_place, END(stack) - n_bytes_off, last);
   }
   return 0;
}
