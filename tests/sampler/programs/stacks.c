/* SPDX-License-Identifier: GPL-2.0-or-later

   A program without a C library, for fixtures of the unwinder: make_fixtures.py stops it at
   labels.  `leaf` is called directly, and by a signal handler.  */

#include <asm/signal.h>
#include <asm/unistd.h>

volatile int sink;

static long call_kernel(long number, long a, long b, long c, long d)
{
   long result;
   register long fourth __asm__("r10") = d;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                    : "rcx", "r11", "memory");
   return result;
}

__attribute__((noinline)) int leaf(int depth)
{
   __asm__ volatile(".globl stop\nstop: nop" ::: "memory");
   return depth + sink;
}

/* Saves registers, and has its end at a known place.  */
__attribute__((noinline)) int saving(int depth)
{
   int a = sink + depth, b = sink - depth, c = sink ^ depth, d = sink | depth;
   sink = leaf(depth);
   sink = leaf(a + b);
   return a * 3 + b * 5 + c * 7 + d * 11;
}

__attribute__((noinline)) int middle(int depth)
{
   char space[200];
   space[depth & 63] = (char)sink;
   __asm__ volatile("" ::"r"(space) : "memory");
   return saving(depth + 1) + space[5];
}

__attribute__((noinline)) int outer(int depth)
{
   if (depth > 0)
      return outer(depth - 1) + 1;
   return middle(depth) * 2;
}

#ifndef WITHOUT_SIGNAL
void handler(int number) { sink = middle(number) + 1; }

/* What the kernel returns to behind a handler.  Its registers lie in the context that the
   kernel has put onto the stack: <asm/sigcontext.h>, behind 40 bytes.  */
__asm__(".text\n"
        ".cfi_startproc\n"
        "nop\n"
        ".cfi_signal_frame\n.cfi_def_cfa rsp, 0\n"
        ".cfi_offset rbp, 120\n.cfi_offset rbx, 128\n"
        ".cfi_offset r12, 72\n.cfi_offset r13, 80\n.cfi_offset r14, 88\n"
        ".cfi_offset r15, 96\n.cfi_offset rsp, 160\n.cfi_offset rip, 168\n"
        ".globl restorer\n.type restorer, @function\n"
        "restorer: mov $15, %eax\nsyscall\n"
        ".size restorer, . - restorer\n.cfi_endproc\n");
void restorer(void);

__attribute__((noinline)) void interrupted(void)
{
   struct sigaction action = {.sa_flags = 0x04000000, .sa_restorer = restorer};
   action.sa_handler = handler;
   call_kernel(__NR_rt_sigaction, SIGUSR1, (long)&action, 0, 8);
   call_kernel(__NR_kill, call_kernel(__NR_getpid, 0, 0, 0, 0), SIGUSR1, 0, 0);
   sink++;
}
#endif

__attribute__((noinline)) void first(void)
{
   sink = outer(3);
#ifndef WITHOUT_SIGNAL
   interrupted();
#endif
   call_kernel(__NR_exit, 0, 0, 0, 0);
}

/* The end of all stacks: without caller, and without frame pointer.  */
__asm__(".globl _start\n.type _start, @function\n"
        "_start:\n.cfi_startproc\n.cfi_undefined rip\n"
        "xor %ebp, %ebp\nand $-16, %rsp\ncall first\nhlt\n"
        ".cfi_endproc\n.size _start, . - _start\n");
