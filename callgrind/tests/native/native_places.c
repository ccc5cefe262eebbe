/* SPDX-License-Identifier: GPL-2.0-or-later

   START in unusual places, from code that runs natively until then: a constructor, the
   handler of a signal that was sent, that of a fault, that of a timer, and a coroutine.
   Each calls a function of its own, and STOP comes somewhere else.  */

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(in_constructor, 10)
KNOWN_COST(in_handler, 10)
KNOWN_COST(in_fault, 10)
KNOWN_COST(in_timer, 10)
KNOWN_COST(in_coroutine, 10)
KNOWN_COST(never, 10)

static ucontext_t of_main, of_coroutine;
static sigjmp_buf out;
static volatile int timers;

__attribute__((constructor)) static void begin(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   in_constructor();
   CALLGRIND_STOP_INSTRUMENTATION;
   never();
}

static void run_for_a_while(void)
{
   for (int i = 0; i < 1000; i++)
      getppid();
   never();
}

static void handle(int signal)
{
   CALLGRIND_START_INSTRUMENTATION;
   (void)signal;
   in_handler();
}

static void handle_fault(int signal)
{
   CALLGRIND_START_INSTRUMENTATION;
   (void)signal;
   in_fault();
   siglongjmp(out, 1);
}

static void handle_timer(int signal)
{
   (void)signal;
   if (timers++ != 0)
      return;
   CALLGRIND_START_INSTRUMENTATION;
   in_timer();
   CALLGRIND_STOP_INSTRUMENTATION;
}

static void generate(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   in_coroutine();
   swapcontext(&of_coroutine, &of_main);
   in_coroutine();
   swapcontext(&of_coroutine, &of_main);
}

int main(void)
{
   static char stack[65536];
   struct itimerval often = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};

   run_for_a_while();
   signal(SIGUSR1, handle);
   raise(SIGUSR1);
   CALLGRIND_STOP_INSTRUMENTATION;

   run_for_a_while();
   signal(SIGSEGV, handle_fault);
   if (sigsetjmp(out, 1) == 0)
      *(volatile int*)8 = 1;
   CALLGRIND_STOP_INSTRUMENTATION;

   run_for_a_while();
   signal(SIGALRM, handle_timer);
   setitimer(ITIMER_REAL, &often, NULL);
   while (timers < 10) {
   }
   setitimer(ITIMER_REAL, &none, NULL);

   run_for_a_while();
   getcontext(&of_coroutine);
   of_coroutine.uc_stack.ss_sp = stack;
   of_coroutine.uc_stack.ss_size = sizeof stack;
   makecontext(&of_coroutine, generate, 0);
   swapcontext(&of_main, &of_coroutine);
   swapcontext(&of_main, &of_coroutine);
   CALLGRIND_STOP_INSTRUMENTATION;
   run_for_a_while();
   return 0;
}
