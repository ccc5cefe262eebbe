/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Jumps to other functions that are not the plain ones of tail_calls.c.  The argument
   says which:

      handlers   run calls the first of three handlers, which jump to each other, round
                 and round, 30 times; the second one calls run again, once
      cold       parted runs on in the middle of parted_cold, which goes back into the
                 middle of parted; both call leaf; 4 times
      falls      falls runs off its end into fallen
      prologue   begun calls prologue, which makes its frame and jumps back; there
                 continued begins
      signal     a handler of a signal ends with a jump to on_signal
      start      measurement begins in a function that jumps to after_start
      longjmp    what jumped calls longjmp, back to main
*/

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

#define EXACT OPAQUE NAKED

OPAQUE long run(long steps, long inner);

/* %rdi: how many steps are left; %rsi: as many steps for the inner run, or 0.  */
EXACT void handle_a(void) { __asm__("dec %rdi\n\tjz 1f\n\tjmp handle_b\n1:\tret"); }

EXACT void handle_b(void)
{
   __asm__("test %rsi, %rsi\n\tjz 1f\n\tpush %rdi\n\tmov %rsi, %rdi\n\txor %esi, %esi\n\t"
           "call run\n\tpop %rdi\n\txor %esi, %esi\n1:\tdec %rdi\n\tjz 2f\n\t"
           "jmp handle_c\n2:\tret");
}

EXACT void handle_c(void) { __asm__("dec %rdi\n\tjz 1f\n\tjmp handle_a\n1:\tret"); }

EXACT long run(long steps, long inner) { __asm__("call handle_a\n\tret"); }

/* As gcc divides functions with -freorder-blocks-and-partition.  */
__asm__(".text\n\t"
        ".type parted, @function\n\t.globl parted\n"
        "parted:\tnop\n\tjmp into_cold\n"
        "back_again:\tcall leaf\n\tret\n\t.size parted, . - parted\n\t"
        ".type parted_cold, @function\n\t.globl parted_cold\n"
        "parted_cold:\tnop\n"
        "into_cold:\tcall leaf\n\tjmp back_again\n\t.size parted_cold, . - parted_cold\n");
void parted(void);

__asm__(".text\n\t"
        ".type falls, @function\n\t.globl falls\nfalls:\tnop\n\t.size falls, . - falls\n\t"
        ".type fallen, @function\n\t.globl fallen\n"
        "fallen:\tnop\n\tret\n\t.size fallen, . - fallen\n");
void falls(void);

__asm__(".text\n\t"
        ".type begun, @function\n\t.globl begun\n"
        "begun:\tnop\n\tcall prologue\n\t.size begun, . - begun\n\t"
        ".type continued, @function\n\t.globl continued\n"
        "continued:\tcall leaf\n\tpop %rcx\n\tret\n\t.size continued, . - continued\n");
void begun(void);

EXACT void prologue(void) { __asm__("pop %rax\n\tpush %rcx\n\tjmp *%rax"); }

EXACT void on_signal(int signal) { __asm__("call leaf\n\tret"); }

EXACT void handler(int signal) { __asm__("call leaf\n\tjmp on_signal"); }

EXACT void after_start(void) { __asm__("call leaf\n\tret"); }

OPAQUE void start(void)
{
   CALLGRIND_START_INSTRUMENTATION;
}

EXACT void begins(void)
{
   __asm__("sub $8, %rsp\n\tcall start\n\tadd $8, %rsp\n\tjmp after_start");
}

static jmp_buf out;

OPAQUE void leaves(void)
{
   leaf();
   longjmp(out, 1);
}

EXACT void jumps_on(void) { __asm__("jmp leaves"); }

OPAQUE void measured(void)
{
   begins();
   leaf();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   switch (argc > 1 ? argv[1][0] : 0) {
   case 'h': run(30, 7); break;
   case 'c':
      for (int i = 0; i < 4; i++)
         parted();
      break;
   case 'f': falls(); break;
   case 'p': begun(); break;
   case 's':
      if (argv[1][1] == 't')
         measured();
      else {
         signal(SIGUSR1, handler);
         kill(getpid(), SIGUSR1);
      }
      break;
   case 'l':
      if (setjmp(out) == 0)
         jumps_on();
      break;
   }
   leaf();
   return 0;
}
