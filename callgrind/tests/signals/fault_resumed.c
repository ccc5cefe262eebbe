/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Writes to a page that may not be written; the handler allows it, and the instruction
   is executed again.  touch has 20 instructions, of which the 5th faults the first
   time; it runs twice.
*/

#include <signal.h>
#include <sys/mman.h>

#include "known_cost.h"

static char* page;

OPAQUE static void allow(int signal)
{
   (void)signal;
   mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

OPAQUE __attribute__((naked)) void touch(char* where)
{
   __asm__(
      ".rept 4\n\tnop\n\t.endr\n\tmovb $1,(%rdi)\n\t.rept 14\n\tnop\n\t.endr\n\tret");
}

OPAQUE static void twice(void)
{
   mprotect(page, 4096, PROT_READ);
   for (int i = 0; i < 2; i++) {
      touch(page);
   }
   NO_TAIL_CALL;
}

int main(void)
{
   page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   struct sigaction action = {.sa_handler = allow};
   sigaction(SIGSEGV, &action, 0);
   twice();
   return 0;
}
