/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   A generator on a stack of its own hands ten values to its user, one at each resume().
   Neither calls the other: their calls are generate -> value 10, value -> yield_ 10,
   use -> resume 11, and swapcontext is called by yield_ 10 and by resume 11 times.

   With `start N`, measurement starts when value N is made, on the generator's stack; the
   user's stack comes into sight when the generator first yields to it.
*/

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "callgrind.h"

#define OPAQUE __attribute__((noinline, noclone))

static ucontext_t user, generator;
static char generator_stack[65536];
static int start_at = -1;
volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE void yield_(void)
{
   leaf();
   swapcontext(&generator, &user);
}

OPAQUE void value(int i)
{
   leaf();
   if (i == start_at)
      CALLGRIND_START_INSTRUMENTATION;
   yield_();
   leaf();
}

OPAQUE void generate(void)
{
   for (int i = 0; i < 10; i++)
      value(i);
}

OPAQUE void resume(void)
{
   swapcontext(&user, &generator);
   leaf();
}

OPAQUE void use(void)
{
   for (int i = 0; i < 11; i++)
      resume();
}

int main(int argc, char** argv)
{
   if (argc > 2 && strcmp(argv[1], "start") == 0)
      start_at = atoi(argv[2]);
   getcontext(&generator);
   generator.uc_stack.ss_sp = generator_stack;
   generator.uc_stack.ss_size = sizeof generator_stack;
   generator.uc_link = &user;
   makecontext(&generator, generate, 0);
   use();
   return 0;
}
