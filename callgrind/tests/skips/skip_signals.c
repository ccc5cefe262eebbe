/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Signals, 3 times.  The argument says what they interrupt and what the handler does:

      returns   code of a library; the handler calls leaf and returns
      escapes   the same, and it leaves with siglongjmp to main
      handler   code of the program; the handler is the library's and calls the program
*/

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "known_cost.h"
#include "skip_library.h"

static sigjmp_buf escape;
static const char* how;
static long own_pid;

KNOWN_COST(leaf, 10)

OPAQUE static void work(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void next(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void handler(int signal)
{
   (void)signal;
   leaf();
   if (strcmp(how, "escapes") == 0)
      siglongjmp(escape, 1);
   NO_TAIL_CALL;
}

/* 8 instructions; the signal comes in the midst of them.  */
OPAQUE __attribute__((naked)) void victim(__attribute__((unused)) long pid,
                                          __attribute__((unused)) long signal)
{
   __asm__("sub $8, %rsp\n\tmov $62, %eax\n\tsyscall\n\tnop\n\tcall work\n\tnop\n\t"
           "add $8, %rsp\n\tret");
}

OPAQUE static void disturbed(void)
{
   if (strcmp(how, "handler") == 0)
      victim(own_pid, SIGUSR1);
   else
      lib_disturbed(own_pid, SIGUSR1, work);
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   how = argc > 1 ? argv[1] : "returns";
   own_pid = syscall(SYS_getpid);
   lib_in_handler = next;
   signal(SIGUSR1, strcmp(how, "handler") == 0 ? lib_handler : handler);
   for (volatile int i = 0; i < 3; i++) {
      if (sigsetjmp(escape, 1) == 0)
         disturbed();
      next();
   }
   return 0;
}
