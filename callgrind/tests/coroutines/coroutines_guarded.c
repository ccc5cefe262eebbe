/* SPDX-License-Identifier: GPL-2.0-or-later

   A coroutine whose stack ends right below memory that faults when it is read, though its
   mapping says otherwise: glibc 2.42 guards the stacks of threads so.  Where the kernel
   cannot do that, the mapping forbids it.  What the coroutine begins with returns to code
   that nobody called, of whose frame nothing but the stack pointer is known; from there
   it is left.  */

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, GUARD_INSTALL = 102 };

static void *home, *dead;
static volatile int begun, ended;

void switch_stack(void** save, void* load), ended_here(void), end_coroutine(void);
__asm__(".text\n.globl switch_stack\n.type switch_stack,@function\nswitch_stack:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size switch_stack,.-switch_stack\n"
        ".globl ended_here\n.type ended_here,@function\nended_here:\n"
        "call end_coroutine\nud2\n.size ended_here,.-ended_here\n");

static void begin_coroutine(void) { begun++; }

void end_coroutine(void)
{
   ended++;
   switch_stack(&dead, home);
}

int main(void)
{
   char* block = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (block == MAP_FAILED || (madvise(block + 2 * PAGE, PAGE, GUARD_INSTALL) != 0 &&
                               mprotect(block + 2 * PAGE, PAGE, PROT_NONE) != 0))
      return 1;
   for (int i = 0; i < 3; i++) {
      uintptr_t* top = (uintptr_t*)(block + 2 * PAGE);
      top -= 2;
      *--top = (uintptr_t)ended_here;
      *--top = (uintptr_t)begin_coroutine;
      top -= 6;
      switch_stack(&home, top);
   }
   return begun != 3 || ended != 3;
}
