# SPDX-License-Identifier: GPL-2.0-or-later
#
# The C text of programs with coroutines: all that does not depend on the functions drawn.
#
# Owns: the templates that coroutines.py fills in, where a program's stacks lie, and how a
# coroutine ends.  The switch itself is switching.py's.

"""Templates for programs with coroutines."""

from __future__ import annotations

INCLUDES = """\
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "truth.h"
"""

HEAD = """\
enum {{ COROUTINES = {count}, SIZE = {size}, SPARES = 6 }};
static volatile long fuel;
"""

HOP = """\
OPAQUE void hop(long number)
{
   ENTER(hop);
   int from = now, to = choose((unsigned long)number);
   if (to == from)
      return;
   now = to;
   SWITCH(hop, &all[from], &all[to]);
   NO_TAIL_CALL;
}
"""

HOP_DEEP = """\
OPAQUE long hop_deep(long number, long depth)
{
   ENTER(hop_deep);
   if (depth > 0) {
      CALL(hop_deep, hop_deep);
      number += hop_deep(number, depth - 1);
      NO_TAIL_CALL;
      return number & 0xff;
   }
   CALL(hop_deep, hop);
   hop(number);
   NO_TAIL_CALL;
   return number & 0xff;
}
"""

THROW = """\
struct Try {
   int owner;
   inline __attribute__((always_inline)) Try() : owner(now) { all[owner].tries++; }
   inline __attribute__((always_inline)) ~Try() { all[owner].tries--; }
};
OPAQUE long throw_here(long a)
{
   ENTER(throw_here);
   CALL_OUT(throw_here, cxa_throw);
   throw (int)a;
}
"""

SIGNAL = """\
OPAQUE long heard(long a)
{
   ENTER(heard);
   return a + 1;
}

OPAQUE void handler(int signal)
{
   ENTER(handler);
   ROOT(handler);
   CALL(handler, heard);
   heard(signal);
   NO_TAIL_CALL;
}
"""

# An entry function.  At its end its stack is nobody's.
ENTRY = """\
OPAQUE void {name}(void)
{{
   ENTRY({name});
   volatile long sum = {start}, a = 1, depth = {depth};
   {call}
   (void)a;
   {end}
}}
"""
END_BY_RETURN_TO_ASSEMBLER = "NO_TAIL_CALL;"
END_BY_LINK = "all[now].alive = 0; now = HOME;"
END_BY_SWITCH = (
    "int from_ = now; all[from_].alive = 0; now = choose((unsigned long)sum); "
    "SWITCH({name}, &all[from_], &all[now]); __builtin_trap();"
)

ENDED = """\
void OPAQUE ended(void)
{{
   ENTER(ended_here);
   ROOT(ended_here);
   CALL(ended_here, ended);
   ENTER(ended);
   {end}
}}
"""

SPARE = """\
static char spare_stacks[SPARES][SIZE] __attribute__((aligned(16)));
static volatile int spare_is_used[SPARES];
static inline __attribute__((always_inline)) int spare_find(void)
{
   int at = 0;
   while (at < SPARES && spare_is_used[at])
      at++;
   return at;
}
"""

DRIVER = """\
OPAQUE void *driver(void *argument)
{{
   ENTER(driver);
   volatile long sum = (long)argument, a = 2, depth = {depth};
   fuel = {fuel};
   {call}
   (void)a, (void)depth;
   return (void *)sum;
}}
"""

MAIN = """\
int OPAQUE main(void)
{{
   ENTER(main);
   volatile long sum = {seed}, a = 3, depth = {depth};
   {place}
   all[HOME].alive = 1;
{install}   for (int round = 0; round < {rounds}; round++) {{
      for (int at = 0; at < COROUTINES; at++)
         if (!all[at].alive || (unsigned long)(sum + at) % 8 < {abandoned}) {{
            all[at].alive = 1;
            all[at].landings = NULL;
            all[at].tries = 0;
            {renew}
            CALL(main, coroutine_make);
            coroutine_make(&all[at], entries[(unsigned long)(round + at) % {entries}]);
         }}
      fuel = {fuel};
      {call}
{drive}   }}
   (void)a;
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

INSTALL = """\
   static struct sigaction action;
   action.sa_handler = handler;
   CALL_OUT(main, sigaction);
   sigaction(SIGUSR1, &action, NULL);
"""

DRIVE = """\
      if (round % 2 == 0) {
         pthread_t thread;
         void *result;
         CALL_OUT(main, pthread_create);
         if (pthread_create(&thread, NULL, driver, (void *)sum) != 0)
            return 1;
         CALL_OUT(main, pthread_join);
         pthread_join(thread, &result);
         sum += (long)result;
      }
"""

_EACH = "for (int at = 0; at < COROUTINES; at++) {{ {set}; all[at].size = SIZE; }}"

# A compiler that knows a pointer to be NULL leaves the call of free() out.
HEAP_STACK = (
    'char *old_ = all[at].stack; __asm__ volatile("" : "+r"(old_)); '
    "CALL_OUT(main, free); free(old_); CALL_OUT(main, malloc); "
    "all[at].stack = (char *)malloc(SIZE);"
)

# Where stacks lie: what is done once, and what for each new coroutine.
PLACES = {
    "static": (
        "static char block[COROUTINES][SIZE]; "
        + _EACH.format(set="all[at].stack = block[at]"),
        "",
    ),
    "apart": (
        "static char block[COROUTINES][2 * SIZE]; "
        + _EACH.format(set="all[at].stack = block[COROUTINES - 1 - at] + at * 16"),
        "",
    ),
    "main's frame": (
        "char block[COROUTINES][SIZE]; " + _EACH.format(set="all[at].stack = block[at]"),
        "",
    ),
    "heap": (
        _EACH.format(set="all[at].stack = NULL"),
        HEAP_STACK,
    ),
    "pages": (
        _EACH.format(set="all[at].stack = NULL"),
        "if (all[at].stack != NULL) { CALL_OUT(main, munmap); "
        "munmap(all[at].stack, SIZE); } CALL_OUT(main, mmap); "
        "all[at].stack = (char *)mmap(NULL, SIZE, PROT_READ | PROT_WRITE, "
        "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
    ),
}
