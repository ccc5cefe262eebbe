/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -fno-jump-tables
   Misses that are known, at known depths of calls, most of which miss nothing.

   fresh reads 4 lines that nobody has touched before: 4 misses of the first level, 4 of the
   last.  (A jump table would be read, and missed.)  idle, which it calls after each, does nothing.  Each of 3 rounds calls descend,
   four deep, which calls fresh on its way down (level 2) and on its way back (level 1).
   From the second round on, all calls are known.  What the innermost call, deepest, does
   is the argument's:

      calls        fresh, and fresh again by a jump from another function
      signal       is interrupted by a signal, whose handler descends twice as deep
      escape       fresh, and a call that leaps out to the function that runs the rounds
      thread       fresh, a call that waits until another thread has descended, fresh
      uncollected  fresh, a call that calls fresh with collection off, fresh
      zeroed       fresh, a call that has all costs set to zero, fresh
      dumped       fresh, a call that has a part written, fresh
*/

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "callgrind.h"

#include "known_cost.h"

#define ROUNDS 3
#define LINE 64

__attribute__((aligned(LINE))) static char ground[1 << 16];
static char* next = ground;
static volatile char seen; /* or VEX would not read what nobody uses */

static volatile enum { Calls, Signal, Escape, Thread, Uncollected, Zeroed, Dumped } how;
static volatile int turns; /* even: the first thread's */
static void* landing[5];

KNOWN_COST(idle, 5)

OPAQUE void fresh(void)
{
   for (int i = 0; i < 4; i++, next += LINE) {
      seen = *next;
      idle();
   }
}

OPAQUE __attribute__((naked)) void by_jump(void) { __asm__("jmp fresh"); }

OPAQUE __attribute__((naked)) long system_call(long number, long a, long b)
{
   __asm__("mov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tsyscall\n\tret");
}

enum { GetPid = 39, SchedYield = 24, Kill = 62 };

OPAQUE static void wait_for_other(void)
{
   int mine = turns++;
   while (turns == mine + 1)
      system_call(SchedYield, 0, 0);
}

OPAQUE static void leap(void) { __builtin_longjmp(landing, 1); }

OPAQUE static void miss_uncollected(void)
{
   CALLGRIND_TOGGLE_COLLECT;
   fresh();
   idle();
   CALLGRIND_TOGGLE_COLLECT;
}

OPAQUE static void zero(void) { CALLGRIND_ZERO_STATS; }
OPAQUE static void dump(void) { CALLGRIND_DUMP_STATS; }

OPAQUE static void deepest(void)
{
   idle();
   if (how == Signal)
      system_call(Kill, system_call(GetPid, 0, 0), SIGUSR1);
   else
      fresh();
   switch (how) {
   case Calls: by_jump(); break;
   case Signal: break;
   case Escape: leap(); break;
   case Thread: wait_for_other(); break;
   case Uncollected: miss_uncollected(); break;
   case Zeroed: zero(); break;
   case Dumped: dump(); break;
   }
   idle();
   if (how >= Thread)
      fresh();
   idle();
}

OPAQUE static void descend(int level)
{
   idle();
   if (level == 2)
      fresh();
   if (level > 0)
      descend(level - 1);
   else
      deepest();
   idle();
   if (level == 1)
      fresh();
   NO_TAIL_CALL;
}

OPAQUE static void descend_apart(int level)
{
   idle();
   if (level % 2 == 0)
      fresh();
   if (level > 0)
      descend_apart(level - 1);
   idle();
   NO_TAIL_CALL;
}

OPAQUE static void handler(int signal)
{
   (void)signal;
   descend_apart(7);
   NO_TAIL_CALL;
}

OPAQUE static void* run_apart(void* unused)
{
   for (int i = 0; i < ROUNDS; i++) {
      while (turns % 2 == 0)
         system_call(SchedYield, 0, 0);
      descend_apart(7);
      turns++;
   }
   return unused;
}

OPAQUE static void round_of_calls(void)
{
   if (__builtin_setjmp(landing) == 0)
      descend(3);
   idle();
   NO_TAIL_CALL;
}

OPAQUE static void run(void)
{
   for (volatile int i = 0; i < ROUNDS; i++)
      round_of_calls();
}

/* Writes where later calls have their stack: their reads miss nothing.  */
OPAQUE static void touch_stack(void)
{
   volatile char used[4096];
   for (unsigned at = 0; at < sizeof used; at++)
      used[at] = 0;
}

int main(int argc, char** argv)
{
   static const char* const names[] = {"calls",       "signal", "escape", "thread",
                                       "uncollected", "zeroed", "dumped"};
   const char* name = argc > 1 ? argv[1] : "calls";
   while (strcmp(names[how], name) != 0)
      how++;
   pthread_t thread;
   if (how == Signal)
      signal(SIGUSR1, handler);
   if (how == Thread)
      pthread_create(&thread, NULL, run_apart, NULL);
   touch_stack();
   run();
   if (how == Thread)
      pthread_join(thread, NULL);
   return 0;
}
