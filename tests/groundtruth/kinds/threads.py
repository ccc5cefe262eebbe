# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads, in C: joined, detached, cancelled, ended deep in a stack, with clean-up.

main starts a number of threads, a few at a time.  Each calls functions of a web, and then
ends in its own way: by return, by pthread_exit below some recursion, by cancellation at a
cancellation point or in the middle of a loop; with thread-specific data, whose
destructors call functions, and with clean-up handlers, which do so too.  Threads start
threads.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, web

HEAD = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include "truth.h"

static __thread volatile long fuel;
static pthread_key_t key, last_key;
static volatile int detached_running, threads_left = 30;
static pthread_attr_t small_stack;

/* A thread's work: how it begins, and what the last of its calls does.  */
struct work {{
   long seed, depth;
   volatile int ready;
   int detached;
   void *(*start)(void *);
   int number;
}};
"""

# No call of ours may be counted and then not made: a thread that may be cancelled at any
# instruction calls nothing from then on.
ENDS = {
    "returned": """\
OPAQUE void *returned(void *argument)
{{
   struct work *work = argument;
   ENTER(returned);
   fuel = {fuel};
   CALL(returned, {first});
   {first}(work->seed, {depth});
   {detached}
   return argument;
}}
""",
    "exited": """\
OPAQUE long exit_deep(long depth)
{{
   ENTER(exit_deep);
   long sum = depth;
   if (depth > 0) {{
      CALL(exit_deep, exit_deep);
      sum += exit_deep(depth - 1);
      NO_TAIL_CALL;
      return sum;
   }}
   CALL_OUT(exit_deep, pthread);
   pthread_exit(NULL);
}}

OPAQUE void *exited(void *argument)
{{
   struct work *work = argument;
   ENTER(exited);
   fuel = {fuel};
   CALL(exited, {first});
   {first}(work->seed, {depth});
   {detached}
   CALL(exited, exit_deep);
   exit_deep(work->seed % 20);
   NO_TAIL_CALL;
   return argument;
}}
""",
    "cancelled": """\
OPAQUE void *cancelled(void *argument)
{{
   struct work *work = argument;
   ENTER(cancelled);
   fuel = {fuel};
   CALL(cancelled, {first});
   {first}(work->seed, {depth});
   pthread_cleanup_push(tidy, TIDY_ARGUMENT(cancelled, 1));
   CALL(cancelled, wait_deep);
   wait_deep(work, work->seed % 10);
   NO_TAIL_CALL;
   pthread_cleanup_pop(0);
   return argument;
}}

OPAQUE long wait_deep(struct work *work, long depth)
{{
   ENTER(wait_deep);
   long sum = depth;
   if (depth > 0) {{
      CALL(wait_deep, wait_deep);
      sum += wait_deep(work, depth - 1);
      NO_TAIL_CALL;
      return sum;
   }}
   work->ready = 1;
   for (;;) {{
      CALL_OUT(wait_deep, pause);
      pause();
   }}
}}
""",
    "struck": """\
OPAQUE long spin(struct work *work, long depth)
{{
   ENTER(spin);
   long sum = depth;
   if (depth > 0) {{
      CALL(spin, spin);
      sum += spin(work, depth - 1);
      NO_TAIL_CALL;
      return sum;
   }}
   int old;
   CALL_OUT(spin, pthread);
   pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
   work->ready = 1;
   for (volatile long i = 0;; i++)
      ;
}}

OPAQUE void *struck(void *argument)
{{
   struct work *work = argument;
   ENTER(struck);
   fuel = {fuel};
   CALL(struck, {first});
   {first}(work->seed, {depth});
   CALL(struck, spin);
   spin(work, work->seed % 10);
   NO_TAIL_CALL;
   return argument;
}}
""",
}

OTHERS = {"exited": ["exit_deep"], "cancelled": ["wait_deep"], "struck": ["spin"]}

DATA = """\
OPAQUE void forget(void *data)
{{
   ENTER(forget);
   long number = (long)data;
   fuel = 8;
   CALL(forget, {first});
   {first}(number, 2);
   NO_TAIL_CALL;
   if (number > 1) {{
      CALL_OUT(forget, pthread);
      pthread_setspecific(key, (void *)(number - 1));
   }}
}}

/* The last that a detached thread does: keys are asked for in their order, in so many
   rounds, and `key`, which may lead to more calls, comes first in each.  */
#define ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */
OPAQUE void ended(void *rounds)
{{
   ENTER(ended);
   if ((long)rounds > 1) {{
      CALL_OUT(ended, pthread);
      pthread_setspecific(last_key, (void *)((long)rounds - 1));
      NO_TAIL_CALL;
   }} else
      __atomic_fetch_sub(&detached_running, 1, __ATOMIC_RELAXED);
}}

/* Whether run by pthread_cleanup_pop or when the stack is unwound, it is called by the
   function that has pushed it, whose number is part of the argument.  */
#define TIDY_ARGUMENT(function, number) ((void *)(fn_##function * 4096L + ((number) & 7)))
OPAQUE void tidy(void *data)
{{
   CALL_NUMBER((long)data / 4096, fn_tidy);
   ENTER(tidy);
   static __thread int under_way;
   if (under_way)
      return;
   under_way = 1;
   fuel = 5;
   CALL(tidy, {first});
   {first}((long)data % 4096, 2);
   under_way = 0;
}}

OPAQUE long wait_deep(struct work *work, long depth);
"""

# What functions of the web do besides calling.
REMEMBER = (
    "{{ CALL_OUT({caller}, pthread); pthread_setspecific(key, (void *)(sum % 3 + 1)); }}"
)
YIELD = "{{ CALL_OUT({caller}, sched_yield); sched_yield(); }}"
# A detached thread is waited for until it has run its destructors.
DETACHED = (
    "if (work->detached) {{ CALL_OUT({caller}, pthread); "
    "pthread_setspecific(last_key, (void *)ROUNDS); }} NO_TAIL_CALL;"
)
# A clean-up handler around a call, run at its end or not.
CLEAN_UP = (
    "{{ pthread_cleanup_push(tidy, TIDY_ARGUMENT({caller}, sum)); {call} "
    "pthread_cleanup_pop({run}); }}"
)
# A thread that this one starts and waits for.
NESTED = (
    "if (__atomic_fetch_sub(&threads_left, 1, __ATOMIC_RELAXED) > 0) "
    "{{ struct work work = {{ sum & 0xff, 2, 0, 0, returned, fn_returned }}; "
    "pthread_t thread; CALL_OUT({caller}, pthread); "
    "if (pthread_create(&thread, &small_stack, returned, &work) == 0) {{ "
    "CALL_OUT({caller}, pthread); pthread_join(thread, NULL); }} }}"
)

MAIN = """\
static struct work works[{count}] = {{
{rows}}};

OPAQUE int main(void)
{{
   ENTER(main);
   pthread_t threads[{count}];
   CALL_OUT(main, pthread);
   pthread_key_create(&key, forget);
   CALL_OUT(main, pthread);
   pthread_key_create(&last_key, ended);
   CALL_OUT(main, pthread);
   pthread_attr_init(&small_stack);
   CALL_OUT(main, pthread);
   pthread_attr_setstacksize(&small_stack, 1 << 18);
   for (int first = 0; first < {count}; first += {together}) {{
      int last = first + {together} < {count} ? first + {together} : {count};
      for (int at = first; at < last; at++) {{
         if (works[at].detached)
            TRUTH_ADD(detached_running);
         CALL_OUT(main, pthread);
         if (pthread_create(&threads[at], &small_stack, works[at].start, &works[at]) != 0)
            return 1;
         if (works[at].detached) {{
            CALL_OUT(main, pthread);
            pthread_detach(threads[at]);
         }}
      }}
      fuel = {fuel};
      CALL(main, {first});
      {first}(first, {depth});
      for (int at = first; at < last; at++) {{
         if (works[at].detached)
            continue;
         if (works[at].number == CANCELLED || works[at].number == STRUCK) {{
            while (!works[at].ready) {{
               CALL_OUT(main, sched_yield);
               sched_yield();
            }}
            CALL_OUT(main, pthread);
            pthread_cancel(threads[at]);
         }}
         CALL_OUT(main, pthread);
         pthread_join(threads[at], NULL);
      }}
   }}
   while (detached_running > 0) {{
      CALL_OUT(main, usleep);
      usleep(1000);
   }}
   CALL_OUT(main, printf);
   printf("%d threads\\n", {count});
   return 0;
}}
"""


def around(random_: random.Random, names: list[str]) -> web.CallWriter:
    direct = web.direct_call(random_, names)

    def write(caller: str) -> str:
        run = random_.randint(0, 1)
        return CLEAN_UP.format(caller=caller, call=direct(caller), run=run)

    return write


def fixed(text: str) -> web.CallWriter:
    return lambda caller: text.format(caller=caller)


def web_texts(random_: random.Random, names: list[str], nests: bool) -> list[str]:
    writers = [web.direct_call(random_, names)] * 3
    writers += [around(random_, names), fixed(REMEMBER), fixed(YIELD)]
    texts = []
    for name in names:
        chosen = list(writers)
        if nests and random_.random() < 0.5:
            chosen.append(fixed(f"if (fuel % 4 == 0) {NESTED}"))
        always = [random_.choice(chosen), web.direct_call(random_, names)]
        texts.append(busy.function(random_, name, chosen, always))
    return texts


def main_text(
    random_: random.Random, ends: list[str], names: list[str], count: int, fuel: int
) -> str:
    rows = ""
    for at in range(count):
        end = random_.choice(ends)
        detached = int(end in ("returned", "exited") and random_.random() < 0.3)
        depth = random_.randint(1, 10)
        rows += f"   {{{at}, {depth}, 0, {detached}, {end}, fn_{end}}},\n"
    text = MAIN.format(
        count=count,
        rows=rows,
        together=random_.choice((1, 3, 8)),
        fuel=fuel,
        first=random_.choice(names),
        depth=random_.choice((3, 10)),
    )
    for end in ("cancelled", "struck"):
        text = text.replace(end.upper(), f"fn_{end}" if end in ends else "-1")
    return text


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, may_be_static=False)
    names = [f"t{at}" for at in range(random_.randint(1, 5))]
    ends = ["returned", *(end for end in ENDS if random_.random() < 0.6)]
    ends = list(dict.fromkeys(ends))
    fuel = random_.randint(20, 150)
    nests = random_.random() < 0.4
    values = {
        "fuel": fuel,
        "first": names[0],
        "depth": random_.choice((3, 6, 40)),
    }
    parts = [HEAD.format(), web.prototypes(names), DATA.format(first=names[-1])]
    parts += [f"OPAQUE void *{end}(void *argument);" for end in ends]
    parts += web_texts(random_, names, nests)
    parts += [
        ENDS[end].format(**values, detached=DETACHED.format(caller=end)) for end in ends
    ]
    count = random_.choice((2, 5, 12, 40))
    parts.append(main_text(random_, ends, names, count, fuel))
    others = [other for end in ends for other in OTHERS.get(end, [])]
    # Without optimisation, libc's own function would call the clean-up then.
    choices: list[list[str]] = [[], ["-fexceptions"]]
    unwinds = random_.choice(choices) if "-O0" not in variant.flags else []
    return Case(
        kind="threads",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *names, *ends, *others, "forget", "ended", "tidy"],
        compiler=variant.compiler,
        flags=[*variant.flags, *unwinds, "-pthread"],
        link_flags=variant.link_flags,
        outside={
            "printf": ["printf", "__printf_chk"],
            "pthread": ["pthread_[!_]*", "__pthread_*specific*"],
            "pause": ["pause", "__pause*"],
            "sched_yield": ["sched_yield", "__sched_yield"],
            "usleep": ["usleep"],
        },
        rules=Rules(
            uncounted_paths="cleanup handlers are called for the one that pushed them",
            roots=[
                *("clone", "__clone*", "clone3", "start_thread", "thread_start"),
                "sigcancel_handler",
                *("__restore_rt", "0x*"),  # the same, where it has no name
            ],
            uncounted=[
                # Of the macros for clean-up handlers.
                ("*", "_setjmp"),
                ("*", "__sigsetjmp"),
                ("*", "__pthread_*cancel*"),
                ("*", "__pthread_unwind_next*"),
                ("*", "_Unwind_Resume"),
            ],
        ),
        description=f"{variant.description} {' '.join(unwinds)}; {count} threads; "
        f"{', '.join(ends)}{'; nested' if nests else ''}",
    )
