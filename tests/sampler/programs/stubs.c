/* SPDX-License-Identifier: GPL-2.0-or-later

   Frames that are not an ordinary function's: stubs of the linker, the vDSO, signal
   handlers, handlers on a stack of their own.  Three tenths of a second in each.

      stubs plt|vdso|signal|altstack  */

#include <signal.h>
#include <string.h>
#include <time.h>

int tiny(int number); /* of library.c */

static volatile unsigned sink;

static int is_over(void)
{
   static clock_t end;
   if (end == 0)
      end = clock() + CLOCKS_PER_SEC * 3 / 10;
   return clock() > end;
}

__attribute__((noinline)) void through_stubs(void)
{
   while (!is_over()) {
      for (int i = 0; i < 100000; i++)
         sink += (unsigned)tiny(i);
   }
}

__attribute__((noinline)) void in_vdso(void)
{
   struct timespec now;
   while (!is_over()) {
      for (int i = 0; i < 10000; i++) {
         clock_gettime(CLOCK_MONOTONIC, &now);
         sink += (unsigned)now.tv_nsec;
      }
   }
}

__attribute__((noinline)) void in_handler(void)
{
   for (unsigned i = 0; i < 100000; i++)
      sink = sink * 1664525u + 1013904223u;
   sink++;
}

static void handler(int number)
{
   (void)number;
   in_handler();
   sink++;
}

__attribute__((noinline)) void interrupted(int flags)
{
   struct sigaction action = {.sa_flags = flags};
   static char stack[65536];
   stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
   sigaltstack(&other, NULL);
   action.sa_handler = handler;
   sigaction(SIGUSR1, &action, NULL);
   while (!is_over())
      raise(SIGUSR1);
   sink++;
}

int main(int count, char** arguments)
{
   const char* what = count > 1 ? arguments[1] : "";
   if (strcmp(what, "plt") == 0)
      through_stubs();
   else if (strcmp(what, "vdso") == 0)
      in_vdso();
   else if (strcmp(what, "signal") == 0)
      interrupted(0);
   else if (strcmp(what, "altstack") == 0)
      interrupted(SA_ONSTACK);
   else
      return 2;
   return 0;
}
