# SPDX-License-Identifier: GPL-2.0-or-later
"""setjmp and longjmp: over many frames, to any of those that wait, from anywhere.

Functions call each other in any order.  Some wait for a longjmp around a call; a function
that jumps chooses among all that wait, which may be itself, less deep.  It jumps from
where it is, out of a signal handler (which may have a stack of its own), or out of a
comparison that qsort or bsearch calls.  Buffers are those of setjmp, of sigsetjmp, or of
the compiler's own __builtin_setjmp, which calls no function.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, web
from tests.groundtruth.kinds.landing import DECLARATIONS, FORMS, Form, LONGJMP, SETJMP

HEAD = """\
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "truth.h"

static volatile long fuel = {fuel};
"""

# What leads to the jump, of whoever is in `waiting`: function -> text.
JUMP_DEEP = """\
OPAQUE long jump_deep(long a, long depth)
{{
   ENTER(jump_deep);
   long sum = a;
   if (depth > 0) {{
      CALL(jump_deep, jump_deep);
      sum += jump_deep(a, depth - 1);
   }} else {{
      CALL(jump_deep, jump);
      sum += jump(a);
   }}
   NO_TAIL_CALL;
   return sum;
}}
"""

HANDLER = """\
static volatile long handler_argument;

OPAQUE void handler(int signal)
{{
   ENTER(handler);
   ROOT(handler);
   if (handler_argument % 3 == 0)
      return;
   CALL(handler, {callee});
   {callee}({arguments});
   NO_TAIL_CALL;
   (void)signal;
}}

OPAQUE long by_signal(long a)
{{
   ENTER(by_signal);
   handler_argument = a;
   CALL_OUT(by_signal, raise);
   raise(SIGUSR1);
   NO_TAIL_CALL;
   return a;
}}
"""

COMPARE = """\
static int comparisons;
/* Not to be inlined from a header.  */
static void *(*volatile search)(const void *, const void *, size_t, size_t,
                                int (*)(const void *, const void *)) = bsearch;

OPAQUE int compare(const void *left, const void *right)
{{
   ENTER(compare);
   int a = *(const int *)left, b = *(const int *)right;
   if (--comparisons == 0) {{
      CALL(compare, jump);
      jump(a * 31 + b);
   }}
   return (a > b) - (a < b);
}}

OPAQUE long by_sort(long a)
{{
   ENTER(by_sort);
   int numbers[{count}];
   for (int i = 0; i < {count}; i++)
      numbers[i] = (int)((a + i) * 7919 % 101);
   comparisons = (int)(a % {most}) + 1;
   CALL_OUT(by_sort, qsort);
   qsort(numbers, {count}, sizeof numbers[0], compare);
   comparisons = 0;
   int key = 50;
   comparisons = (int)(a % 5) + 1;
   CALL_OUT(by_sort, bsearch);
   int *found = search(&key, numbers, {count}, sizeof numbers[0], compare);
   comparisons = 0;
   return a + (found != NULL);
}}
"""

INSTALL = """\
   static char alternate[1 << 16];
   static stack_t stack = {{.ss_sp = alternate, .ss_size = sizeof alternate}};
   static struct sigaction action = {{.sa_handler = handler, .sa_flags = {flags}}};
   CALL_OUT(main, sigaltstack);
   sigaltstack(&stack, NULL);
   CALL_OUT(main, sigaction);
   sigaction(SIGUSR1, &action, NULL);
"""

# Ways to the jump: how they are called from a function of the web.
WAYS = {
    "jump": "jump(sum + a)",
    "jump_deep": "jump_deep(sum, {depth})",
    "by_signal": "by_signal(sum + a)",
    "by_sort": "by_sort(sum & 0xfff)",
}


def escape(random_: random.Random, way: str) -> web.CallWriter:
    """A call that may jump, where somebody waits."""

    def write(caller: str) -> str:
        call = WAYS[way].format(depth=random_.choice((1, 5, 40)))
        every = random_.randint(1, 3)
        return (
            f"if (waiting != NULL && fuel % {every} == 0) "
            f"{{ CALL({caller}, {way}); sum += {call}; }}"
        )

    return write


def waiting_call(random_: random.Random, form: Form, names: list[str]) -> web.CallWriter:
    """A call around which the caller waits for jumps."""
    call = web.direct_call(random_, names)

    def write(caller: str) -> str:
        return form.wait(caller, call(caller))

    return write


def ways_text(random_: random.Random, ways: list[str], form: Form) -> str:
    parts = [form.jump_function()]
    if "jump_deep" in ways:
        parts.append(JUMP_DEEP.format())
    if "by_signal" in ways:
        callee, arguments = "jump", "handler_argument"
        if "jump_deep" in ways and random_.random() < 0.5:
            callee, arguments = "jump_deep", "handler_argument, 7"
        parts.append(HANDLER.format(callee=callee, arguments=arguments))
    if "by_sort" in ways:
        count = random_.choice((5, 30, 400))
        parts.append(COMPARE.format(count=count, most=random_.randint(1, 2 * count)))
    return "\n".join(parts)


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    form = random_.choice(FORMS)
    ways = [way for way in WAYS if random_.random() < 0.6] or ["jump"]
    names = [f"w{at}" for at in range(random_.randint(1, 6))]
    writers = [web.direct_call(random_, names)]
    writers += [waiting_call(random_, form, names) for _ in range(2)]
    writers += [escape(random_, way) for way in ways]
    parts = [HEAD.format(fuel=0), DECLARATIONS.format(buffer=form.buffer)]
    parts += [web.prototypes(names), ways_text(random_, ways, form)]
    for name in names:
        way = random_.choice(ways)
        always = [waiting_call(random_, form, names), escape(random_, way)]
        parts.append(busy.function(random_, name, writers, always))
    fuel, depth = random_.randint(200, 1500), random_.choice((4, 12, 60))
    main = busy.main_text(names[0], seed, random_.randint(1, 4), fuel, depth)
    functions = ["main", *names, "jump", *(way for way in ways if way != "jump")]
    flags = ["SA_NODEFER"]
    if "by_signal" in ways:
        if random_.random() < 0.5:
            flags.append("SA_ONSTACK")
        main = main.replace(
            "   ENTER(main);\n",
            "   ENTER(main);\n" + INSTALL.format(flags=" | ".join(flags)),
        )
        functions.append("handler")
    if "by_sort" in ways:
        functions.append("compare")
    parts.append(main)
    return Case(
        kind="longjmp",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={
            "printf": ["printf", "__printf_chk"],
            "setjmp": SETJMP,
            "longjmp": LONGJMP,
            "raise": ["raise", "gsignal"],
            "qsort": ["qsort", "qsort_r"],
            "bsearch": ["bsearch"],
            "sigaction": ["sigaction", "__sigaction"],
            "sigaltstack": ["sigaltstack"],
        },
        # Where a handler returns to was called by nobody; it may have no name.
        rules=Rules(roots=["__restore_rt", "0x*"]),
        description=f"{variant.description}; {form.name}; {', '.join(ways)}; "
        f"{' | '.join(flags)}",
    )
