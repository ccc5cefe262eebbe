/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls that are made so often that they become jumps while code runs natively:
   their answers, all registers and what lies below the stack pointer are as they were; a
   thread that does nothing else is interrupted by signals, and has its turns with another
   one; and START and STOP between them count what is between.  */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

#define MANY 1000

KNOWN_COST(between, 10)

/* In pages without client requests, which fall back.  */
#define APART __attribute__((noinline, section("apart"), aligned(4096)))

/* Registers that the kernel keeps, and the red zone, before and after a call.  Returns 0
   if they are the same.  Only amd64's code runs natively.  */
#if defined(__x86_64__)
#define CALL_KEEPS(NAME, NUMBER)                                                         \
   APART static long NAME(void)                                                          \
   {                                                                                     \
      long differ = 0;                                                                   \
      __asm__ volatile("   movq $0x1111, -8(%%rsp)\n"                                    \
                       "   movq $0x2222, -128(%%rsp)\n"                                  \
                       "   movq $0x3333, %%rbx\n"                                        \
                       "   movq $0x4444, %%r12\n"                                        \
                       "   movq $-1, %%rdi\n"                                            \
                       "   movq $0x5555, %%rdx\n"                                        \
                       "   movq %%rdx, %%xmm7\n"                                         \
                       "   stc\n"                                                        \
                       "   movl $" NUMBER ", %%eax\n"                                    \
                       "   syscall\n"                                                    \
                       "   adcq $0, %0\n"                                                \
                       "   decq %0\n"                                                    \
                       "   xorq $0x1111, -8(%%rsp)\n"                                    \
                       "   orq -8(%%rsp), %0\n"                                          \
                       "   xorq $0x2222, -128(%%rsp)\n"                                  \
                       "   orq -128(%%rsp), %0\n"                                        \
                       "   xorq $0x3333, %%rbx\n"                                        \
                       "   orq %%rbx, %0\n"                                              \
                       "   xorq $0x4444, %%r12\n"                                        \
                       "   orq %%r12, %0\n"                                              \
                       "   movq %%xmm7, %%rbx\n"                                         \
                       "   xorq %%rdx, %%rbx\n"                                          \
                       "   orq %%rbx, %0\n"                                              \
                       : "+r"(differ)                                                    \
                       :                                                                 \
                       : "rax", "rbx", "rcx", "rdx", "rdi", "r11", "r12", "xmm7", "cc",  \
                         "memory");                                                      \
      return differ;                                                                     \
   }

#else
#define CALL_KEEPS(NAME, NUMBER)                                                         \
   static long NAME(void) { return 0; }
#endif

CALL_KEEPS(keeps_at_question, "110") /* getppid */
CALL_KEEPS(keeps_at_call, "3")       /* close, of no file */

APART static void check_registers(void)
{
   int wrong = 0;
   for (int i = 0; i < MANY; i++)
      wrong += keeps_at_question() != 0 || keeps_at_call() != 0;
   printf("registers: %d wrong\n", wrong);
}

static void check_answers(void)
{
   const pid_t parent = getppid(), process = getpid();
   const int null = open("/dev/null", O_WRONLY);
   struct timespec before = {0, 0}, now;
   int wrong = 0;
   for (int i = 0; i < MANY; i++) {
      wrong += getppid() != parent || syscall(SYS_getpid) != process;
      wrong += write(null, "a", 1) != 1;
      wrong += clock_gettime(CLOCK_MONOTONIC, &now) != 0;
      wrong += now.tv_sec < before.tv_sec ||
               (now.tv_sec == before.tv_sec && now.tv_nsec < before.tv_nsec);
      before = now;
      wrong += close(-1) != -1 || errno != EBADF;
   }
   close(null);
   printf("answers: %d wrong\n", wrong);
}

static volatile int alarms;
static void count_alarm(int signal)
{
   (void)signal;
   alarms++;
}

static void check_signals(void)
{
   struct itimerval often = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};
   signal(SIGALRM, count_alarm);
   setitimer(ITIMER_REAL, &often, NULL);
   while (alarms < 20)
      getppid();
   setitimer(ITIMER_REAL, &none, NULL);
   printf("signals: come\n");
}

static volatile int turn;
static void* answer(void* unused)
{
   for (int i = 0; i < 20; i++) {
      while (turn % 2 == 0)
         getppid();
      turn++;
   }
   return unused;
}

static void check_threads(void)
{
   pthread_t thread;
   pthread_create(&thread, NULL, answer, NULL);
   for (int i = 0; i < 20; i++) {
      while (turn % 2 == 1)
         getppid();
      turn++;
   }
   pthread_join(thread, NULL);
   printf("threads: %d turns\n", turn);
}

static __attribute__((noinline)) void check_counts(void)
{
   for (int i = 0; i < 20; i++) {
      getppid();
      CALLGRIND_START_INSTRUMENTATION;
      getppid();
      between();
      CALLGRIND_STOP_INSTRUMENTATION;
      getppid();
   }
}

int main(void)
{
   check_registers();
   check_answers();
   check_signals();
   check_threads();
   check_counts();
   return 0;
}
