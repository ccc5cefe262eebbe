/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fibers by two switches in assembler, which save a frame of registers.  */

#define OPAQUE __attribute__((noinline, noclone, used))

/* Goes to where `to` was left, and leaves its own place in `*from`.  */
void perform(void** from, void* to);
/* Calls a function on a stack; goes to the place that it returns.  */
void run_fiber(void** from, void* stack, void* (*body)(void));
#define SAVE "   push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
#define LOAD "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
#define FUNCTION(NAME, BODY)                                                             \
   __asm__(".text\n.globl " NAME "\n.type " NAME ",@function\n" NAME ":\n" BODY          \
           ".size " NAME ",.-" NAME "\n")
FUNCTION("perform", SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n" LOAD "   ret\n");
FUNCTION("run_fiber", SAVE "   mov %rsp,(%rdi); mov %rsi,%rsp\n"
                           "   call *%rdx\n"
                           "   mov %rax,%rsp\n" LOAD "   ret\n");
