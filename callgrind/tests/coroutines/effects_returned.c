/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -mno-red-zone
   Two fibers that perform effects: main begins the outer one, which begins the inner one.
   When the inner one performs an effect, both are kept, and main goes on: by the return
   of what it has called to begin or resume them.  So does step() when they are resumed,
   from deeper down than they were begun.  Then the inner one ends, and the outer one
   performs an effect by itself.
*/

#include "fiber_switches.h"

#include <stdint.h>

void resume(void** from, void* to);
FUNCTION("resume",
         SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n" LOAD "   pop %rcx; jmp *%rcx\n");

static void *main_place, *outer_place, *inner_place;
static uintptr_t stacks[2][4096] __attribute__((aligned(16)));
volatile int work;

OPAQUE void leaf(void) { work++; }

/* Performs an effect that main handles.  */
OPAQUE void step(void** place, int deeper)
{
   if (deeper > 0)
      step(place, deeper - 1);
   else
      perform(place, main_place);
   leaf();
}

OPAQUE void* inner(void)
{
   for (int i = 0; i < 3; i++)
      step(&inner_place, 2 * i);
   return outer_place;
}

OPAQUE void* outer(void)
{
   run_fiber(&outer_place, stacks[1] + 4096, inner);
   leaf();
   step(&outer_place, 1);
   return main_place;
}

OPAQUE void go_on(void* place, int deeper)
{
   if (deeper > 0)
      go_on(place, deeper - 1);
   else
      resume(&main_place, place);
   leaf();
}

int main(void)
{
   run_fiber(&main_place, stacks[0] + 4096, outer);
   for (int i = 0; i < 3; i++)
      go_on(inner_place, i);
   go_on(outer_place, 1);
   return 0;
}
