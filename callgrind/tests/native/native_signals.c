/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   What a program sees of signals: addresses and codes of faults, registers, masks,
   alternate stacks, handlers within handlers, calls that a signal interrupts, and those
   that it sends to itself.  Prints what it saw.  With an argument that is the number of a
   signal, it ends by that.  */

#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf out;
static siginfo_t told;
static volatile int depth, deepest, alarms;
static char* stack;
#define STACK 65536

static void handle(int number, void (*handler)(int, siginfo_t*, void*), int flags)
{
   struct sigaction action;
   memset(&action, 0, sizeof action);
   action.sa_sigaction = handler;
   action.sa_flags = SA_SIGINFO | flags;
   sigaction(number, &action, NULL);
}

static void jump_out(int number, siginfo_t* info, void* context)
{
   (void)number, (void)context;
   told = *info;
   siglongjmp(out, 1);
}

static void on_stack(int number, siginfo_t* info, void* context)
{
   char here;
   (void)number, (void)info, (void)context;
   printf("on the alternate stack: %d\n", &here >= stack && &here < stack + STACK);
}

static void nest(int number, siginfo_t* info, void* context)
{
   (void)info, (void)context;
   depth++;
   if (depth > deepest)
      deepest = depth;
   if (depth < 4)
      raise(number);
   depth--;
}

static void note(int number, siginfo_t* info, void* context)
{
   (void)context;
   told = *info;
   alarms += number == SIGALRM;
}

/* Mends what was read from, and goes on behind.  */
static void mend(int number, siginfo_t* info, void* context)
{
   (void)number;
   told = *info;
   mprotect((void*)((uintptr_t)info->si_addr & ~4095UL), 4096, PROT_READ | PROT_WRITE);
   (void)context;
}

static void faults(void)
{
   volatile char* page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   handle(SIGSEGV, jump_out, 0);
   handle(SIGFPE, jump_out, 0);
   handle(SIGILL, jump_out, 0);
   handle(SIGTRAP, jump_out, 0);
   if (sigsetjmp(out, 1) == 0)
      page[77] = 1;
   printf("protected: code %d at %ld\n", told.si_code, (long)((char*)told.si_addr - page));
   if (sigsetjmp(out, 1) == 0)
      *(volatile int*)8 = 1;
   printf("not mapped: code %d at %ld\n", told.si_code, (long)told.si_addr);
   if (sigsetjmp(out, 1) == 0)
      ((void (*)(void))page)();
   printf("not executable: code %d at %ld\n", told.si_code,
          (long)((char*)told.si_addr - page));
   volatile int one = 1, zero = 0;
   if (sigsetjmp(out, 1) == 0)
      printf("%d\n", one / zero);
   printf("division: code %d\n", told.si_code);
#if defined(__x86_64__)
   if (sigsetjmp(out, 1) == 0)
      __asm__ volatile("ud2");
   printf("no instruction: code %d\n", told.si_code);
   if (sigsetjmp(out, 1) == 0)
      __asm__ volatile("int3");
   printf("breakpoint: signal %d\n", told.si_signo);
#endif
   handle(SIGSEGV, mend, 0);
   page[4096 + 5] = 9;
   printf("mended: %d at %ld\n", page[4096 + 5], (long)((char*)told.si_addr - page));
}

static void masks(void)
{
   sigset_t set, old, pending;
   siginfo_t info;
   sigfillset(&set);
   sigprocmask(SIG_BLOCK, &set, &old);
   kill(getpid(), SIGUSR1);
   kill(getpid(), SIGSYS);
   kill(getpid(), 63);
   sigpending(&pending);
   printf("pending: %d %d %d\n", sigismember(&pending, SIGUSR1),
          sigismember(&pending, SIGSYS), sigismember(&pending, 63));
   int sum = 0; /* in any order */
   for (int i = 0; i < 3; i++)
      sum += sigwaitinfo(&set, &info);
   printf("waited for: %d\n", sum - SIGUSR1 - SIGSYS - 63);
   sigprocmask(SIG_SETMASK, &old, NULL);
   handle(SIGSYS, note, 0);
   handle(63, note, 0);
   kill(getpid(), SIGSYS);
   printf("handled: %d\n", told.si_signo);
   kill(getpid(), 63);
   printf("handled: %d\n", told.si_signo);
   signal(SIGSYS, SIG_IGN);
   kill(getpid(), SIGSYS);
   printf("ignored\n");
}

static void calls(void)
{
   int ends[2];
   char byte;
   struct itimerval timer = {{0, 0}, {0, 20000}};
   if (pipe(ends) != 0)
      return;
   handle(SIGALRM, note, 0);
   setitimer(ITIMER_REAL, &timer, NULL);
   ssize_t n = read(ends[0], &byte, 1);
   printf("interrupted: %d, alarms %d\n", n < 0 && errno == EINTR, alarms);
}

/* Alarms that come while code runs.  */
static void alarms_while_running(void)
{
   struct itimerval timer = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
   alarms = 0;
   handle(SIGALRM, note, SA_RESTART);
   setitimer(ITIMER_REAL, &timer, NULL);
   while (alarms < 20) {
   }
   setitimer(ITIMER_REAL, &none, NULL);
   printf("alarms while code runs: %d\n", alarms >= 20);
}

int main(int n_arguments, char** arguments)
{
   if (n_arguments > 1) {
      kill(getpid(), atoi(arguments[1]));
      for (;;) {
      }
   }
   setvbuf(stdout, NULL, _IOLBF, 0);
   faults();
   stack = malloc(STACK);
   stack_t alternate = {.ss_sp = stack, .ss_size = STACK};
   sigaltstack(&alternate, NULL);
   handle(SIGUSR2, on_stack, SA_ONSTACK);
   raise(SIGUSR2);
   handle(SIGUSR1, nest, SA_NODEFER);
   raise(SIGUSR1);
   printf("nested: %d\n", deepest);
   masks();
   calls();
   alarms_while_running();
   return 0;
}
