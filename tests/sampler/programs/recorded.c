/* SPDX-License-Identifier: GPL-2.0-or-later

   A program without a C library that records itself, for tests of the unwinder: wherever
   it executes TRAP, the handler of that signal prints what a sample would hold, a line
   with the name of the place, the registers in the order of DWARF's numbers, and the stack
   up to where the program began.
   recorded_ARCHITECTURE.h has what is assembler.  */

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__aarch64__)
#include "recorded_arm64.h"
#else
#include "recorded_amd64.h"
#endif

#define OPAQUE __attribute__((noinline, noclone, used))

volatile int sink;
const char* place;    /* its name */
uint64_t stack_begin; /* the highest address that is recorded */

/* --- Printing ----------------------------------------------------------------------- */

static char line[1 << 18];
static unsigned long length;

static void put(char one) { line[length++] = one; }

static void put_digits(uint64_t value, unsigned digits)
{
   for (unsigned i = digits; i-- > 0;)
      put("0123456789abcdef"[value >> 4 * i & 15]);
}

static void record(int number, siginfo_t* information, void* context_)
{
   ucontext_t* context = context_;
   uint64_t registers[REGISTERS];
   (void)number, (void)information;
   take_registers(&context->uc_mcontext, registers);
   length = 0;
   for (const char* at = place; *at != '\0'; at++)
      put(*at);
   for (unsigned i = 0; i < REGISTERS; i++) {
      put(i == 0 ? ':' : ' ');
      put_digits(registers[i], 16);
   }
   put(':');
   const uint8_t* stack = (const uint8_t*)registers[STACK_POINTER];
   for (uint64_t at = 0; at < stack_begin - registers[STACK_POINTER]; at++)
      put_digits(stack[at], 2);
   put('\n');
   call_kernel(__NR_write, 1, (long)line, (long)length, 0);
   skip_trap(&context->uc_mcontext);
}

/* --- What is recorded --------------------------------------------------------------- */

OPAQUE int leaf(int depth)
{
   TRAP;
   return depth + sink;
}

/* Saves registers.  */
OPAQUE int saving(int depth)
{
   int a = sink + depth, b = sink - depth, c = sink ^ depth, d = sink | depth;
   sink = leaf(depth);
   return a * 3 + b * 5 + c * 7 + d * 11;
}

OPAQUE int middle(int depth)
{
   char space[200];
   space[depth & 63] = (char)sink;
   __asm__ volatile("" ::"r"(space) : "memory");
   return saving(depth + 1) + space[5];
}

OPAQUE int outer(int depth)
{
   if (depth > 0)
      return outer(depth - 1) + 1;
   return middle(depth) * 2;
}

/* Has a frame of a size that it draws.  */
OPAQUE int drawing(int depth)
{
   char* space = __builtin_alloca((unsigned long)(depth + sink) * 16);
   space[0] = (char)depth;
   __asm__ volatile("" ::"r"(space) : "memory");
   return saving(depth) + space[0];
}

OPAQUE int large(int depth)
{
   char space[6000];
   space[depth] = (char)sink;
   __asm__ volatile("" ::"r"(space) : "memory");
   return saving(depth) + space[depth + 1];
}

/* They are in assembler.  Each returns to its caller when it has been recorded.  */
void with_frame(void);
void link_elsewhere(void);
void without_rules(int (*callee)(int));
void raise_in_leaf(long process);
void raise_in_signed(long process);
void returning(void);
void entered_handler(int number);

OPAQUE void handler(int number) { sink = middle(number & 7); }

static void handle(int number, void* function, unsigned long flags)
{
   /* As the kernel has it.  */
   struct {
      void* function;
      unsigned long flags;
      void (*restorer)(void);
      unsigned long mask;
   } action = {function, flags | 0x04000000, returning, 0};
   call_kernel(__NR_rt_sigaction, number, (long)&action, 0, 8);
}

OPAQUE void interrupted(void)
{
   call_kernel(__NR_kill, call_kernel(__NR_getpid, 0, 0, 0, 0), SIGUSR1, 0, 0);
   sink++;
}

OPAQUE void first(void)
{
   long process = call_kernel(__NR_getpid, 0, 0, 0, 0);
   handle(SIGILL, (void*)record, SA_SIGINFO | SA_NODEFER);
   place = "leaf", sink = outer(3);
   place = "alloca", sink = drawing(20);
   place = "large", sink = large(3);
   place = "with frame", with_frame();
   place = "link elsewhere", link_elsewhere();
   place = "without rules", without_rules(middle);
   handle(SIGUSR1, (void*)handler, 0);
   place = "signal", interrupted();
   place = "signal in leaf", raise_in_leaf(process);
   place = "signal in signed", raise_in_signed(process);
   handle(SIGUSR1, (void*)entered_handler, 0);
   place = "handler", interrupted();
   call_kernel(__NR_exit, 0, 0, 0, 0);
}
