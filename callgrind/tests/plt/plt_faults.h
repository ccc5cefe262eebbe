/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The body of the plt_faults programs, which differ in how many instructions a stub of the
   PLT has.  `calls` calls a function of a library through its stub, and `jumps` jumps to
   another one, as often as the first argument says.  As often as the second one says, the
   stub may not read where the function is: it faults, the handler allows it, and the
   instruction is executed again.  What each executes, but for the stub:

      calls    4 instructions
      jumps    1
*/

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "known_cost.h"

#define PAGE 4096

void lib_leaf(void);
void lib_outer(void);
void calls(void);
void jumps(void);
extern char _GLOBAL_OFFSET_TABLE_[];

/* Through no stub: its own would fault.  */
static int (*volatile protect)(void*, size_t, int) = mprotect;
static char* addresses; /* the page of what stubs read */
static volatile int faults;

#if defined(__aarch64__)
#define CALL "stp x29,x30,[sp,#-16]!\n\tbl lib_leaf\n\tldp x29,x30,[sp],#16\n\tret\n"
#define JUMP "b lib_outer\n"
#else
#define CALL "sub $8,%rsp\n\tcall lib_leaf@PLT\n\tadd $8,%rsp\n\tret\n"
#define JUMP "jmp lib_outer@PLT\n"
#endif

#define CODE(NAME, TEXT)                                                                 \
   __asm__(".text\n.type " #NAME ",%function\n.globl " #NAME "\n" #NAME ":\n\t" TEXT     \
           ".size " #NAME ",.-" #NAME "\n")

CODE(calls, CALL);
CODE(jumps, JUMP);

OPAQUE static void on_fault(int signal)
{
   (void)signal;
   faults++;
   protect(addresses, PAGE, PROT_READ);
}

typedef void (*Function)(void);

OPAQUE static void call(Function function, int times, int faulting)
{
   for (int i = 0; i < times; i++) {
      if (i < faulting)
         protect(addresses, PAGE, PROT_NONE);
      function();
   }
}

int main(int argc, char** argv)
{
   int times = argc > 1 ? atoi(argv[1]) : 1;
   int faulting = argc > 2 ? atoi(argv[2]) : 1;
   addresses = (char*)((uintptr_t)_GLOBAL_OFFSET_TABLE_ & ~(uintptr_t)(PAGE - 1));
   signal(SIGSEGV, on_fault);
   call(calls, times, faulting);
   call(jumps, times, faulting);
   printf("%d faults\n", faults);
   return 0;
}
