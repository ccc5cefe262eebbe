/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -mno-red-zone
   Two fibers that perform effects: main begins the outer one, which begins the inner one.
   When the inner one performs an effect, both are kept, and main goes on: by the return
   of what it has called to begin or resume them.  So does step() when they are resumed,
   from deeper down than they were begun.  Then the inner one ends, and the outer one
   performs an effect by itself.
*/

#include <stdint.h>

#define OPAQUE __attribute__((noinline, noclone, used))

/* Goes to where `to` was left, and leaves its own place in `*from`.  */
void perform(void** from, void* to);
void resume(void** from, void* to);
/* Calls a function on a stack; goes to the place that it returns.  */
void run_fiber(void** from, void* stack, void* (*body)(void));
#define SAVE "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
#define LOAD "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
#define FUNCTION(NAME, BODY)                                                             \
   __asm__(".text\n.globl " NAME "\n.type " NAME ",@function\n" NAME ":\n" BODY          \
           ".size " NAME ",.-" NAME "\n")
FUNCTION("perform", SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n" LOAD "   ret\n");
FUNCTION("resume", SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n" LOAD
                        "   pop %rcx; jmp *%rcx\n");
FUNCTION("run_fiber", SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n"
                           "   call *%rdx\n"
                           "   mov %rax,%rsp\n" LOAD "   ret\n");

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
