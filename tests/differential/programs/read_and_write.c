/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Instructions that read and write memory at once, and those that use the stack and
   memory together: arithmetic on memory, atomics, push and pop of memory, calls and jumps
   through memory, enter and leave.  Each at an address within a line and at one across
   two, where the processor allows it.
*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define LINES 64

static unsigned char memory[LINES * 64 + 64] __attribute__((aligned(64)));

static NOINLINE void change(unsigned char* at)
{
   __asm__ volatile("addl $3, (%0)\n\t"
                    "incb 1(%0)\n\t"
                    "notq (%0)\n\t"
                    "shlw $2, 2(%0)\n\t"
                    "xorb $0x11, 3(%0)\n\t"
                    "btsl $5, (%0)\n\t"
                    "subq %%rsp, 8(%0)\n\t"
                    "addq %%rsp, 8(%0)\n\t"
                    "sete 4(%0)\n\t"
                    "shldq $3, %%rsp, (%0)\n\t"
                    "movq $9, (%0)\n\t"
                    "roll $7, 1(%0)\n\t"
                    : : "r"(at) : "memory", "cc");
}

/* Reads here, writes there. */
static NOINLINE void change_two(unsigned char* at, unsigned char* other)
{
   __asm__ volatile("movl (%0), %%eax\n\t"
                    "addl %%eax, (%1)\n\t"
                    "cmpl %%eax, (%0)\n\t"
                    "adcb $0, (%1)\n\t"
                    "testb $1, (%0)\n\t"
                    "movl %%eax, 4(%1)\n\t"
                    : : "r"(at), "r"(other) : "memory", "cc", "rax");
}

static NOINLINE void change_atomically(unsigned char* at)
{
   uint64_t value = 5;
   __asm__ volatile("lock addl $3, (%1)\n\t"
                    "lock incq (%1)\n\t"
                    "lock btsl $3, (%1)\n\t"
                    "lock xaddq %0, (%1)\n\t"
                    "xchgl %k0, (%1)\n\t"
                    "xchgq %0, (%1)\n\t"
                    "xchgb %b0, 3(%1)\n\t"
                    "movq $7, %%rax\n\t"
                    "lock cmpxchgq %0, (%1)\n\t" /* fails, mostly */
                    "lock cmpxchgq %0, (%1)\n\t" /* succeeds */
                    "cmpxchgb %b0, (%1)\n\t"
                    "xaddw %w0, (%1)\n\t"
                    : "+r"(value) : "r"(at) : "memory", "cc", "rax");
}

static NOINLINE void exchange_wide(unsigned char* at)
{
   __asm__ volatile("movl (%0), %%eax; movl 4(%0), %%edx; movl $1, %%ebx; movl $2, %%ecx\n\t"
                    "lock cmpxchg8b (%0)\n\t"
                    "cmpxchg8b (%0)\n\t"
                    : : "D"(at) : "memory", "cc", "rax", "rbx", "rcx", "rdx");
   __asm__ volatile("movq (%0), %%rax; movq 8(%0), %%rdx; movq $1, %%rbx; movq $2, %%rcx\n\t"
                    "lock cmpxchg16b (%0)\n\t"
                    "lock cmpxchg16b (%0)\n\t"
                    : : "D"(at) : "memory", "cc", "rax", "rbx", "rcx", "rdx");
}

/* Beneath the red zone. */
static NOINLINE void push_and_pop(unsigned char* at, unsigned char* other)
{
   __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                    "pushq (%0)\n\t"
                    "pushq 3(%0)\n\t"
                    "popq 2(%1)\n\t"
                    "popq (%1)\n\t"
                    "pushq $17\n\t"
                    "popq %%rax\n\t"
                    "pushfq\n\t"
                    "popfq\n\t"
                    "pushq (%%rsp)\n\t"
                    "popq (%%rsp)\n\t"
                    "leaq 128(%%rsp), %%rsp\n\t"
                    : : "r"(at), "r"(other) : "memory", "cc", "rax");
}

/* Big frames make the stack cold: the next call's push misses. */
static NOINLINE int enter_and_leave(int depth)
{
   volatile char room[600];
   room[depth] = (char)depth;
   __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                    "enter $48, $0\n\t"
                    "movq %%rax, -8(%%rbp)\n\t"
                    "leave\n\t"
                    "leaq 128(%%rsp), %%rsp\n\t"
                    : : : "memory");
   return depth == 0 ? 0 : room[depth] + enter_and_leave(depth - 1);
}

static NOINLINE int plus_one(int n) { return n + 1; }
static NOINLINE int plus_two(int n) { return n + 2; }

static int (*const functions[])(int) = {plus_one, plus_two, plus_one};

static NOINLINE int call_through_memory(int n)
{
   for (unsigned i = 0; i < 30; i++)
      __asm__ volatile("call *(%1)"
                       : "+D"(n) : "r"(&functions[i % 3])
                       : "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10",
                         "r11");
   return n;
}

static NOINLINE int jump_through_memory(int n)
{
   int result;
   __asm__ volatile("leaq 1f(%%rip), %%rax; movq %%rax, -256(%%rsp)\n\t"
                    "jmp *-256(%%rsp)\n\t"
                    "1: movl %1, %0\n\t"
                    : "=r"(result) : "r"(n) : "memory", "rax");
   return result;
}

int main(void)
{
   for (unsigned line = 0; line + 1 < LINES; line++) {
      unsigned char* at = memory + line * 64;
      change(at + 20);
      change(at + 58); /* into the next line */
      change_two(at + 8, memory + (LINES - 1 - line) * 64 + 30);
      change_two(at + 62, memory + (LINES - 1 - line) * 64 + 29);
      change_atomically(at + 16);
      exchange_wide(at + 32);
      push_and_pop(at + 40, at + 59);
   }
   printf("%d %d\n", enter_and_leave(40), call_through_memory(5));
   printf("%d\n", jump_through_memory(8));
   unsigned sum = 0;
   for (unsigned i = 0; i < sizeof memory; i++)
      sum = sum * 31 + (unsigned char)(i % 64 < 8 ? 0 : memory[i] != 0);
   printf("%u\n", sum);
   return EXIT_SUCCESS;
}
