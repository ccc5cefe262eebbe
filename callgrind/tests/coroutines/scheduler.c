/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Two coroutines and main go to one another by way of a scheduler's stack, as Go's
   goroutines do: mcall saves where it is and calls the scheduler on its own stack, which
   never returns, but goes on to the next coroutine.  Twelve rounds of main -> step ->
   yield, and twelve of serve -> step -> yield on each of two stacks.
*/

#include <stdint.h>

#define OPAQUE __attribute__((noinline, noclone))

void mcall(void** save, void* top, void (*function)(void));
void gogo(void* place);
__asm__(".text\n"
        ".globl mcall\n"
        ".type mcall,@function\n"
        "mcall:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rdi)\n"
        "   mov %rsi,%rsp\n"
        "   call *%rdx\n"
        "   ud2\n"
        ".size mcall,.-mcall\n"
        ".globl gogo\n"
        ".type gogo,@function\n"
        "gogo:\n"
        "   mov %rdi,%rsp\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "   pop %rdx\n"
        "   jmp *%rdx\n"
        ".size gogo,.-gogo\n");

static void* places[3]; /* the last is main's */
static uintptr_t stacks[2][4096] __attribute__((aligned(16)));
static uintptr_t scheduler_stack[4096] __attribute__((aligned(16)));
static int running = 2;
volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE int choose(void)
{
   leaf();
   return (running + 1) % 3;
}

OPAQUE void schedule(void)
{
   running = choose();
   gogo(places[running]);
}

OPAQUE void yield(void)
{
   mcall(&places[running], scheduler_stack + 4096, schedule);
   leaf();
}

OPAQUE void step(int deeper)
{
   if (deeper > 0)
      step(deeper - 1);
   else
      yield();
   leaf();
}

OPAQUE void serve(void)
{
   for (int i = 0;; i++)
      step(i % 3);
}

int main(void)
{
   for (int i = 0; i < 2; i++) {
      uintptr_t* top = stacks[i] + 4096 - 8;
      top[6] = (uintptr_t)serve;
      places[i] = top;
   }
   for (int i = 0; i < 12; i++)
      step(i % 3);
   return 0;
}
