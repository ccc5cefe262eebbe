/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Three threads take turns at walking through calls of f0 to f4, at random: they call
   each other and leaf, return, leave by longjmp, and switch measurement on and off, at
   any depth, in any thread, while the others are somewhere deep in their calls.  The
   program itself counts the calls that it makes while measurement is on, and writes them
   into a file, as profile_query does.

      start_stop_random FILE SEED [N...]

   Functions of the numbers N are skipped.
*/

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "callgrind.h"

#include "known_cost.h"

#define WALKERS 3
#define FUNCTIONS 5
#define LEAF FUNCTIONS
#define RUN FUNCTIONS /* calls, as LEAF is called */
#define MAX_DEPTH 40
#define STEPS 500

typedef struct Walker {
   unsigned long random;
   int number;
   int steps;
   int depth;
   int stack[MAX_DEPTH + 1]; /* what is under way; RUN is the outermost */
   jmp_buf outside;
} Walker;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_has_changed = PTHREAD_COND_INITIALIZER;
static int turn;
static int has_ended[WALKERS];

static int is_measuring;
static int is_skipped[FUNCTIONS + 1];
static long calls[FUNCTIONS + 1][FUNCTIONS + 1];
static unsigned long seed;

KNOWN_COST(leaf, 10)

static int draw(Walker* walker, int n)
{
   walker->random = walker->random * 6364136223846793005UL + 1442695040888963407UL;
   return (int)((walker->random >> 33) % (unsigned)n);
}

/* The walker whose turn it is runs, and no other.  */
OPAQUE static void await_turn(const Walker* walker)
{
   pthread_mutex_lock(&mutex);
   while (turn != walker->number)
      pthread_cond_wait(&turn_has_changed, &mutex);
   pthread_mutex_unlock(&mutex);
}

OPAQUE static void give_turn_away(const Walker* walker)
{
   pthread_mutex_lock(&mutex);
   for (int i = 1; i <= WALKERS; i++) {
      turn = (walker->number + i) % WALKERS;
      if (!has_ended[turn])
         break;
   }
   pthread_cond_broadcast(&turn_has_changed);
   pthread_mutex_unlock(&mutex);
}

OPAQUE static void toggle(void)
{
   is_measuring = !is_measuring;
   if (is_measuring)
      CALLGRIND_START_INSTRUMENTATION;
   else
      CALLGRIND_STOP_INSTRUMENTATION;
}

/* Counts a call by the nearest function under way that is not skipped.  */
OPAQUE static void count(const Walker* walker, int callee)
{
   int at = walker->depth;
   while (is_skipped[walker->stack[at]])
      at--;
   if (is_measuring && (callee == LEAF || !is_skipped[callee]))
      calls[walker->stack[at]][callee]++;
}

typedef void (*Function)(Walker* walker);
static const Function functions[FUNCTIONS];

static inline __attribute__((always_inline)) void call_one(Walker* walker)
{
   if (walker->depth >= MAX_DEPTH || walker->steps <= 0)
      return;
   walker->steps--;
   int callee = draw(walker, FUNCTIONS);
   count(walker, callee);
   walker->stack[++walker->depth] = callee;
   functions[callee](walker);
   walker->depth--;
}

static inline __attribute__((always_inline)) void walk(Walker* walker)
{
   for (;;)
      switch (draw(walker, 16)) {
      case 0: toggle(); break;
      case 1:
         give_turn_away(walker);
         await_turn(walker);
         break;
      case 2:
         if (draw(walker, 20) == 0)
            longjmp(walker->outside, 1);
         break;
      case 3:
      case 4:
      case 5:
         count(walker, LEAF);
         leaf();
         break;
      case 6:
      case 7:
      case 8: return;
      default: call_one(walker); break;
      }
}

OPAQUE static void f0(Walker* walker) { walk(walker); }
OPAQUE static void f1(Walker* walker) { walk(walker); }
OPAQUE static void f2(Walker* walker) { walk(walker); }
OPAQUE static void f3(Walker* walker) { walk(walker); }
OPAQUE static void f4(Walker* walker) { walk(walker); }

static const Function functions[FUNCTIONS] = {f0, f1, f2, f3, f4};

OPAQUE static void run(Walker* walker)
{
   walker->stack[0] = RUN;
   walker->steps = STEPS;
   await_turn(walker);
   (void)setjmp(walker->outside);
   walker->depth = 0;
   while (walker->steps > 0)
      call_one(walker);
   has_ended[walker->number] = 1;
   give_turn_away(walker);
}

OPAQUE static void* run_thread(void* number)
{
   Walker walker = {.number = (int)(long)number};
   walker.random = seed * 97 + (unsigned)walker.number;
   run(&walker);
   return NULL;
}

static int write_calls(const char* path)
{
   FILE* file = fopen(path, "w");
   if (file == NULL)
      return 1;
   for (int from = 0; from <= FUNCTIONS; from++)
      for (int to = 0; to <= FUNCTIONS; to++)
         if (calls[from][to] > 0) {
            char names[2][8];
            snprintf(names[0], 8, from == RUN ? "run" : "f%d", from);
            snprintf(names[1], 8, to == LEAF ? "leaf" : "f%d", to);
            fprintf(file, "%s -> %s %ld\n", names[0], names[1], calls[from][to]);
         }
   return fclose(file);
}

int main(int argc, char** argv)
{
   pthread_t threads[WALKERS];
   if (argc < 3)
      return 2;
   seed = strtoul(argv[2], NULL, 10);
   for (int i = 3; i < argc; i++)
      is_skipped[atoi(argv[i])] = 1;
   for (long i = 1; i < WALKERS; i++)
      pthread_create(&threads[i], NULL, run_thread, (void*)i);
   run_thread((void*)0);
   for (int i = 1; i < WALKERS; i++)
      pthread_join(threads[i], NULL);
   if (is_measuring)
      toggle();
   return write_calls(argv[1]);
}
