/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Functions that write to pages.  As often as the argument says each is called, with all
   pages protected.  The handler allows access to the page, and the instruction is executed
   again; or the handler leaves the function, if that is given_up.  What each executes:

      middle      20 instructions, the 5th writes
      first       4, the 1st writes
      in_loop     1, ten times 7 of which the 2nd writes, each time to another page, 1.
                  The superblock by which it is entered holds the write, and the one in
                  which it goes round, too
      aligned     5, the 2nd writes; VEX makes an exit of it, for a wrong address
      locked      5, the 2nd and the 3rd read and write
      late        100, more than a superblock holds; the 41st writes
      recursive   7, and 6 within the call of itself; these write
      inlines     the 3 of copied, a function that is inlined; the 2nd writes
      given_up    4, then the write that never succeeds
*/

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "known_cost.h"

#define PAGE 4096
#define PAGES 10

static char* pages;
static int faults, is_given_up;
static sigjmp_buf behind;

OPAQUE static void on_fault(int signal, siginfo_t* information, void* context)
{
   (void)signal, (void)context;
   faults++;
   if (is_given_up)
      siglongjmp(behind, 1);
   mprotect((void*)((uintptr_t)information->si_addr / PAGE * PAGE), PAGE,
            PROT_READ | PROT_WRITE);
}

#define CODE(NAME, TEXT)                                                                 \
   OPAQUE __attribute__((naked)) static void NAME(char* where)                           \
   {                                                                                     \
      (void)where;                                                                       \
      __asm__(TEXT "\n\tret");                                                           \
   }
#define NOPS(N) ".rept " #N "\n\tnop\n\t.endr\n\t"
#define WRITE "movb $1,(%rdi)\n\t"

CODE(middle, NOPS(4) WRITE NOPS(14))
CODE(first, WRITE NOPS(2))
CODE(in_loop,
     "mov $10,%ecx\n1:\tnop\n\t" WRITE "add $4096,%rdi\n\t" NOPS(2) "dec %ecx\n\tjnz 1b")
CODE(aligned, "nop\n\tmovaps %xmm0,(%rdi)\n\t" NOPS(2))
CODE(locked, "nop\n\tlock addl $1,(%rdi)\n\txchg %eax,8(%rdi)\n\tnop")
CODE(late, NOPS(40) WRITE NOPS(58))
CODE(given_up, NOPS(4) WRITE NOPS(14))

static inline __attribute__((always_inline)) void copied(char* where)
{
   __asm__ volatile("nop\n\tmovb $1,(%0)\n\tnop" ::"r"(where) : "memory");
}

OPAQUE static void inlines(char* where)
{
   copied(where);
   NO_TAIL_CALL;
}

char* page_of_recursive;
void recursive(char* where);
__asm__(".type recursive,@function\n"
        "recursive:\n\t"
        "test %rdi,%rdi\n\tjz 2f\n\t"
        "push %rdi\n\txor %edi,%edi\n\tcall recursive\n\tpop %rdi\n"
        "\tret\n"
        "2:\tnop\n\tmov page_of_recursive(%rip),%rdi\n\t" WRITE "ret\n"
        ".size recursive,.-recursive");

typedef void (*Function)(char* where);

OPAQUE static void call(Function function, int times)
{
   for (int i = 0; i < times; i++) {
      mprotect(pages, PAGES * PAGE, PROT_READ);
      if (!is_given_up || sigsetjmp(behind, 1) == 0)
         function(pages);
   }
}

int main(int argc, char** argv)
{
   static const Function mended[] = {middle, first, in_loop,   aligned,
                                     locked, late,  recursive, inlines};
   int times = argc > 1 ? atoi(argv[1]) : 1;
   pages = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   page_of_recursive = pages;
   struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
   sigaction(SIGSEGV, &action, NULL);
   for (unsigned i = 0; i < sizeof mended / sizeof *mended; i++)
      call(mended[i], times);
   is_given_up = 1;
   call(given_up, times);
   printf("%d faults\n", faults);
   return 0;
}
