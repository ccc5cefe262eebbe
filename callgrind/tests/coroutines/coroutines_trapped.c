/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Three stacks, and a switch between them that traps when it has loaded the stack pointer and
   has not returned yet: the signal handler runs while nobody has gone anywhere.  Ten rounds of
   main -> go -> switch_stacks on one stack, and five of serve -> wait -> switch_stacks on each
   of the others.
*/

#include <signal.h>
#include <stdint.h>

#define OPAQUE __attribute__((noinline, noclone))

void switch_stacks(void** save, void* resume);
__asm__(".text\n"
        ".globl switch_stacks\n"
        ".type switch_stacks,@function\n"
        "switch_stacks:\n"
        "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp,(%rdi)\n"
        "   mov %rsi,%rsp\n"
        "   int3\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "   ret\n"
        ".size switch_stacks,.-switch_stacks\n");

static void *in_main, *in_server[2];
static uintptr_t server_stacks[2][4096] __attribute__((aligned(16)));
static int served;
volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE void on_trap(int number)
{
   (void)number;
   leaf();
}

OPAQUE void wait(void)
{
   switch_stacks(&in_server[served], in_main);
   leaf();
}

OPAQUE void serve(void)
{
   for (;;)
      wait();
}

OPAQUE void go(void)
{
   switch_stacks(&in_main, in_server[served]);
   leaf();
}

int main(void)
{
   signal(SIGTRAP, on_trap);
   for (int i = 0; i < 2; i++) {
      uintptr_t* top = server_stacks[i] + 4096 - 8;
      top[6] = (uintptr_t)serve;
      in_server[i] = top;
   }
   for (int i = 0; i < 10; i++) {
      served = i % 2;
      go();
   }
   return 0;
}
