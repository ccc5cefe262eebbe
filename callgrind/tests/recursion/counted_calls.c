/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Functions that call each other at random (always the same way: the generator is its
   own) directly and through pointers, recursively too, and count who called whom.  The
   counts are printed as `caller -> callee count`, sorted by name.  The argument is the
   number of recursion levels to tell apart, as for --separate-recs: 1 to 9, 2 by
   default.
*/

#include <stdio.h>
#include <stdlib.h>

#include "known_cost.h"

enum { Main, Walk0, Walk1, Walk2, Walk3, Walk4, Walk5, Functions };
enum { MaxLevels = 9 };

static unsigned long counts[Functions][MaxLevels + 1][Functions][MaxLevels + 1];
static int active[Functions]; /* activations at this moment */
static int levels = 2;

static unsigned long generator = 12345;

static unsigned next_random(unsigned limit)
{
   generator = generator * 6364136223846793005UL + 1442695040888963407UL;
   return (unsigned)(generator >> 33) % limit;
}

static int level_of(int function)
{
   return active[function] < levels ? active[function] : levels;
}

/* Counts the call, and one more activation of the callee.  */
static void enter(int caller, int callee)
{
   const int caller_level = level_of(caller);
   active[callee]++;
   counts[caller][caller_level][callee][level_of(callee)]++;
}

typedef void (*Walk)(int caller, int depth);
static void walk_0(int caller, int depth);
static void walk_1(int caller, int depth);
static Walk walks[6];

/* Inlined: the calls are each walk's own.  Two of them are direct, four are not.  */
static inline __attribute__((always_inline)) void walk_on(int caller, int depth)
{
   const unsigned choice = next_random(6);
   if (choice == 0)
      walk_0(caller, depth);
   else if (choice == 1)
      walk_1(caller, depth);
   else
      walks[choice](caller, depth);
}

#define WALK(NUMBER)                                                                     \
   OPAQUE static void walk_##NUMBER(int caller, int depth)                               \
   {                                                                                     \
      enter(caller, Walk##NUMBER);                                                       \
      for (unsigned n = next_random(4); depth > 0 && n > 0; n--)                         \
         walk_on(Walk##NUMBER, depth - 1);                                               \
      active[Walk##NUMBER]--;                                                            \
   }

WALK(0)
WALK(1)
WALK(2)
WALK(3)
WALK(4)
WALK(5)

static Walk walks[6] = {walk_0, walk_1, walk_2, walk_3, walk_4, walk_5};

static void print_name(int function, int level)
{
   if (function == Main)
      printf("main");
   else
      printf("walk_%d", function - Walk0);
   if (level > 1)
      printf("'%d", level);
}

static void print_count(int caller, int caller_level, int callee, int callee_level)
{
   const unsigned long count = counts[caller][caller_level][callee][callee_level];
   if (count == 0)
      return;
   print_name(caller, caller_level);
   printf(" -> ");
   print_name(callee, callee_level);
   printf(" %lu\n", count);
}

int main(int argc, char** argv)
{
   if (argc > 1)
      levels = atoi(argv[1]);
   active[Main] = 1;
   for (int i = 0; i < 400; i++)
      walk_on(Main, 7);
   for (int caller = 0; caller < Functions; caller++)
      for (int caller_level = 1; caller_level <= levels; caller_level++)
         for (int callee = 0; callee < Functions; callee++)
            for (int callee_level = 1; callee_level <= levels; callee_level++)
               print_count(caller, caller_level, callee, callee_level);
   return 0;
}
