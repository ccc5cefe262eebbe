/* SPDX-License-Identifier: GPL-2.0-or-later

   The dynamic linker binds a function when it is called for the first time, for which it
   saves all registers: at the very top of a stack, behind which there is nothing.  */

#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define SIZE 65536

static ucontext_t of_main, of_top;
static pid_t parent;

static void at_the_top(void) { parent = getppid(); }

int main(void)
{
   char* stack =
      mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   munmap(stack + SIZE, SIZE);
   getcontext(&of_top);
   of_top.uc_stack.ss_sp = stack;
   of_top.uc_stack.ss_size = SIZE;
   of_top.uc_link = &of_main;
   makecontext(&of_top, at_the_top, 0);
   swapcontext(&of_main, &of_top);
   printf("%s\n", parent > 0 ? "bound" : "not bound");
   return 0;
}
