/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   A coroutine whose stack grows deep in calls: copied to other memory, it goes on there,
   and the calls that were under way return there.  Nothing points into it.
   serve -> first -> second -> third -> grow, eight times, and after each a yield to main.
*/

#include <stdint.h>
#include <string.h>

#define OPAQUE __attribute__((noinline, noclone))
#define WORDS 1024

void switch_stacks(void** save, void* resume);
void grow(void);
__asm__(".text\n"
        ".globl switch_stacks\n"
        ".type switch_stacks,@function\n"
        "switch_stacks:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rdi)\n"
        "   mov %rsi,%rsp\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "   ret\n"
        ".size switch_stacks,.-switch_stacks\n"
        ".globl grow\n"
        ".type grow,@function\n"
        "grow:\n"
        "   mov %rsp,%rdi\n"
        "   push %rax\n"
        "   call copy\n"
        "   mov %rax,%rsp\n"
        "   ret\n"
        ".size grow,.-grow\n");

static void *in_main, *in_server;
static uintptr_t memory[8][WORDS] __attribute__((aligned(16)));
static int place;
volatile int work;

OPAQUE void leaf(void) { work++; }

/* Copies the stack from `from` on to the next memory; returns where that is.  */
void* copy(uintptr_t* from);
OPAQUE void* copy(uintptr_t* from)
{
   leaf();
   long used = memory[place] + WORDS - from;
   place = (place + 1) % 8;
   uintptr_t* to = memory[place] + WORDS - used;
   for (long i = 0; i < used; i++)
      to[i] = from[i];
   return to;
}

OPAQUE void third(void)
{
   grow();
   leaf();
}

OPAQUE void second(void)
{
   third();
   leaf();
}

OPAQUE void first(void)
{
   second();
   leaf();
}

OPAQUE void serve(void)
{
   for (;;) {
      first();
      switch_stacks(&in_server, in_main);
   }
}

int main(void)
{
   uintptr_t* top = memory[0] + WORDS - 8;
   top[6] = (uintptr_t)serve;
   top[7] = (uintptr_t)main;
   in_server = top;
   for (int i = 0; i < 8; i++) {
      switch_stacks(&in_main, in_server);
      leaf();
   }
   return 0;
}
