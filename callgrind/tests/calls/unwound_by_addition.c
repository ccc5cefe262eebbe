/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   An unwinder of exceptions reaches its handler by adding to the stack pointer and
   returning, as arm64's do.  The handler's function runs on one stack, what is left on
   another, which lies at higher addresses.
*/

#include "known_cost.h"

enum { SIZE = 1 << 14 };
static char stacks[2][SIZE] __attribute__((aligned(16)));

void *handler_sp, *handler_bp;
void run_on(void (*function)(void), void* top), leave(void), catcher(void);

__asm__(".text\n.globl run_on\n.type run_on,@function\n"
        "run_on: push %rbp; mov %rsp,%rbp; mov %rsi,%rsp; call *%rdi; leave; ret\n"
        ".size run_on,.-run_on\n"
        ".globl leave\n.type leave,@function\n"
        "leave: mov handler_bp(%rip),%rbp; mov handler_sp(%rip),%rcx; sub $8,%rcx\n"
        "   sub %rsp,%rcx; lea landing(%rip),%rax; add %rcx,%rsp; mov %rax,(%rsp); ret\n"
        ".size leave,.-leave\n"
        ".globl catcher\n.type catcher,@function\n"
        "catcher: sub $24,%rsp; mov %rsp,handler_sp(%rip); mov %rbp,handler_bp(%rip)\n"
        "   lea thrower(%rip),%rdi; lea stacks+32768(%rip),%rsi; call run_on; ud2\n"
        "landing: call caught; add $24,%rsp; ret\n"
        ".size catcher,.-catcher\n");

KNOWN_COST(caught, 10)

OPAQUE void thrower(void)
{
   leave();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 3; i++)
      run_on(catcher, stacks[0] + SIZE);
   return 0;
}
