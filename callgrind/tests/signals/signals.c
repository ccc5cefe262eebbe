/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Signals that a program sends itself, 3 times, while victim runs.  The argument says
   what the handler does:

      plain    calls leaf and returns
      nested   the same, and raises a second signal whose handler calls leaf too
      alt      the same as nested, both on an alternate stack
      escape   calls leaf and leaves with siglongjmp to main
*/

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "known_cost.h"

static sigjmp_buf escape;
static const char* how;
static long own_pid;

KNOWN_COST(leaf, 10)
KNOWN_COST(after_signal, 30)

/* Sends itself the signal in its 5th instruction of 6; the signal is there at once.  */
OPAQUE NAKED void victim(long pid, long signal)
{
   __asm__(NUMBER_OF_KILL "\n\tnop\n\tnop\n\tnop\n\t" SYSTEM_CALL "\n\tret");
}

OPAQUE static void second_handler(int signal)
{
   (void)signal;
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void first_handler(int signal)
{
   (void)signal;
   leaf();
   if (strcmp(how, "escape") == 0)
      siglongjmp(escape, 1);
   if (strcmp(how, "plain") != 0)
      victim(own_pid, SIGUSR2);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void install(int signal, void (*handler)(int))
{
   static char memory[1 << 16];
   struct sigaction action = {.sa_handler = handler};
   if (strcmp(how, "alt") == 0) {
      stack_t alternate = {.ss_sp = memory, .ss_size = sizeof memory};
      sigaltstack(&alternate, NULL);
      action.sa_flags = SA_ONSTACK;
   }
   sigaction(signal, &action, NULL);
}

OPAQUE static void disturbed(void)
{
   victim(own_pid, SIGUSR1);
   after_signal();
   NO_TAIL_CALL;
}

int main(int argc, char** argv)
{
   how = argc > 1 ? argv[1] : "plain";
   own_pid = syscall(SYS_getpid);
   install(SIGUSR1, first_handler);
   install(SIGUSR2, second_handler);
   for (volatile int i = 0; i < 3; i++)
      if (sigsetjmp(escape, 1) == 0)
         disturbed();
   leaf();
   return 0;
}
