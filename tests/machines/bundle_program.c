/* SPDX-License-Identifier: GPL-2.0-or-later

   A program that is measured in roots that have no compiler: what it does between START
   and STOP is the same instructions everywhere.  Then it executes the command that it is
   given, in a child, and ends with its status.

   Built on this machine, it must run with an older C library, or with musl: with
   OWN_START it begins by itself, so that all it asks of the library has been there always
   (glibc's own beginning wants the glibc that it was built with).  With OWN_START set to
   2 it has musl begin.  */

#include "callgrind.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 10
#define TURNS 1000

static __attribute__((noinline)) void work(void)
{
   for (volatile int i = 0; i < TURNS; i++) {}
}

int main(int count, char** arguments)
{
   int status = 0;
   CALLGRIND_START_INSTRUMENTATION;
   for (int i = 0; i < CALLS; i++)
      work();
   CALLGRIND_STOP_INSTRUMENTATION;
   if (count > 1 && fork() == 0) {
      execv(arguments[1], arguments + 1);
      _exit(125);
   }
   if (count > 1)
      wait(&status);
   return status != 0;
}

#if OWN_START
int __libc_start_main(int (*)(int, char**), int, char**, void (*)(void), void (*)(void),
                      void (*)(void));

__attribute__((used)) static void begin(long* stack)
{
   char** arguments = (char**)(stack + 1);
#if OWN_START == 2
   __libc_start_main(main, (int)*stack, arguments, NULL, NULL, NULL);
#else
   exit(main((int)*stack, arguments));
#endif
}

__asm__(".globl _start\n"
        "_start:\n"
        "   mov %rsp, %rdi\n"
        "   and $-16, %rsp\n"
        "   call begin\n");
#endif
