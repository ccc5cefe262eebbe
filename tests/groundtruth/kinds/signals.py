# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals: raised, nested, at any instruction, on another stack, and returning elsewhere.

Functions call each other in any order, and send the process signals on the way.  Handlers
call functions of the same web, and send other signals; each may have the alternate stack,
or run on the one that it interrupted.  A timer may interrupt whatever runs.  Some
instructions trap or fault, and a handler changes the registers that sigreturn restores:
the program goes on behind the instruction, in the middle of a function that called this
one, or in another function: as if that had been called, or had been jumped to, at its
start or in its middle.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, target
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, web
from tests.groundtruth.kinds.trapping import (
    TRAPS,
    TRAP_FUNCTIONS,
    TRAP_HANDLER,
    TRAP_TEXTS,
    WAITING,
)

HEAD = """\
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include "system_call.h"
#include "truth.h"

static volatile long fuel;
static volatile int nesting; /* of handlers: stacks are not endless */
"""

NUMBERS = ("SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGURG")

# A handler of a signal that the program sends itself.
HANDLER = """\
OPAQUE void {name}(int signal)
{{
   ENTER({name});
   ROOT({name});
   volatile long sum = signal;
   long a = signal, depth = 2;
   (void)a, (void)depth;
   nesting++;
{body}
   nesting--;
}}
"""

# Of the timer: everything may be interrupted, so it leaves the web's fuel alone.
TICK = """\
static volatile long ticks;

OPAQUE long tock(long a, long depth)
{{
   ENTER(tock);
   long sum = a;
   for (int i = 0; i < 2 && depth > 0; i++) {{
      CALL(tock, tock);
      sum += tock(sum, depth - 1);
      NO_TAIL_CALL;
   }}
   return sum;
}}

OPAQUE void tick(int signal)
{{
   ENTER(tick);
   ROOT(tick);
   CALL(tick, tock);
   tock(signal, {depth});
   ticks++;
}}
"""

INSTALL = """\
static void install(int signal, void (*handler)(int), int flags)
   __attribute__((always_inline));
static inline void install(int signal, void (*handler)(int), int flags)
{
   static struct sigaction action;
   action.sa_handler = handler;
   action.sa_flags = flags;
   CALL_OUT(main, sigaction);
   sigaction(signal, &action, NULL);
}
"""

# Until the timer has struck so often, or for so many rounds: a clock is no test.
TIMER_START = """\
   static struct itimerval often = {{{{0, {period}}}, {{0, {period}}}}}, never;
   CALL_OUT(main, setitimer);
   setitimer(ITIMER_REAL, &often, NULL);
"""
TIMER_STOP = """\
   for (volatile long i = 0; i < 20000000 && ticks < {ticks}; i++)
      ;
   CALL_OUT(main, setitimer);
   setitimer(ITIMER_REAL, &never, NULL);
"""

SEND = {
    "raise": "CALL_OUT({caller}, raise); raise({signal});",
    "kill": "CALL_OUT({caller}, kill); kill(getpid_now, {signal});",
    # The signal is there at the instruction behind; no library is in between.
    "syscall": (
        "(void)system_call(SYS_kill, getpid_now, {signal}, 0);"
    ),
}


def sending(random_: random.Random, signals: list[str]) -> web.CallWriter:
    def write(caller: str) -> str:
        way = random_.choice(list(SEND))
        send = SEND[way].format(caller=caller, signal=random_.choice(signals))
        return f"if (nesting < 4) {{ {send} sum++; }}"

    return write


def trapping(random_: random.Random, ways: list[str]) -> web.CallWriter:
    def write(caller: str) -> str:
        return TRAPS[random_.choice(ways)].format(caller=caller)

    return write


def handler_text(
    random_: random.Random, name: str, names: list[str], later: list[str]
) -> str:
    """A handler that calls some of the web, and sends signals of later handlers only."""
    writers = [web.direct_call(random_, names)]
    if later:
        writers.append(sending(random_, later))
    lines = []
    for _ in range(random_.randint(0, 3)):
        lines += web.statement(random_, name, random_.choice(writers))
    return HANDLER.format(name=name, body="\n".join(f"   {line}" for line in lines))


def flags_text(random_: random.Random, nested: bool = True) -> str:
    flags = ["SA_RESTART"]
    if random_.random() < 0.5:
        flags.append("SA_ONSTACK")
    if nested and random_.random() < 0.3:
        flags.append("SA_NODEFER")
    return " | ".join(flags)


def installing(random_: random.Random, handlers: dict[str, str], has_timer: bool) -> str:
    lines = [
        "   static char alternate[1 << 18];",
        "   static stack_t stack;",
        "   stack.ss_sp = alternate;",
        "   stack.ss_size = sizeof alternate;",
        "   CALL_OUT(main, sigaltstack);",
        "   sigaltstack(&stack, NULL);",
        "   CALL_OUT(main, getpid);",
        "   getpid_now = getpid();",
    ]
    for name, signal in handlers.items():
        lines.append(f"   install({signal}, {name}, {flags_text(random_)});")
    if has_timer:
        lines.append(f"   install(SIGALRM, tick, {flags_text(random_, False)});")
    return "\n".join(lines) + "\n"


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    names = [f"s{at}" for at in range(random_.randint(2, 6))]
    signals = list(NUMBERS[: random_.randint(1, len(NUMBERS))])
    handlers = {f"on_{signal.lower()}": signal for signal in signals}
    has_timer = random_.random() < 0.4
    ways = [way for way in TRAPS if random_.random() < 0.6]
    if target() != AMD64:
        ways = []  # what traps there is written for amd64
    trap_stack = random_.choice(("0", "SA_ONSTACK"))
    writers = [web.direct_call(random_, names), sending(random_, signals)]
    if ways:
        writers += [trapping(random_, ways)] * 2
    parts = [HEAD, "static int getpid_now;", INSTALL, web.prototypes(names)]
    if ways:
        parts += [WAITING, TRAP_HANDLER, *TRAP_TEXTS]
    for name in names:
        always = [sending(random_, signals), *([trapping(random_, ways)] if ways else [])]
        always.append(web.direct_call(random_, names))
        parts.append(busy.function(random_, name, writers, always))
    order = list(handlers)
    for at, name in enumerate(order):
        later = [handlers[other] for other in order[at + 1 :]]
        parts.append(handler_text(random_, name, names, later))
    start = installing(random_, handlers, has_timer)
    stop = ""
    if ways:
        start += f"   install_traps({trap_stack});\n"
    if has_timer:
        parts.append(TICK.format(depth=random_.randint(1, 4)))
        start += TIMER_START.format(period=random_.choice((500, 1000, 3000)))
        stop = TIMER_STOP.format(ticks=random_.randint(3, 10))
    fuel, depth = random_.randint(300, 1500), random_.choice((5, 8, 30))
    main = busy.main_text(names[0], seed, random_.randint(2, 5), fuel, depth)
    main = main.replace("   ENTER(main);\n", "   ENTER(main);\n" + start)
    main = main.replace("   CALL_OUT(main, printf)", stop + "   CALL_OUT(main, printf)")
    parts.append(main)
    functions = ["main", *names, *handlers]
    functions += ["tick", "tock"] if has_timer else []
    functions += TRAP_FUNCTIONS if ways else []
    remark = "; ".join([*(["timer"] if has_timer else []), *ways])
    return Case(
        kind="signals",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={
            "printf": ["printf", "__printf_chk"],
            "raise": ["raise", "gsignal"],
            "kill": ["kill", "__kill"],
            "getpid": ["getpid", "__getpid"],
            "sigaction": ["sigaction", "__sigaction"],
            "sigaltstack": ["sigaltstack"],
            "setitimer": ["setitimer", "__setitimer*"],
        },
        # Where a handler returns to was called by nobody; it may have no name.
        rules=Rules(
            roots=["__restore_rt", "0x*"],
            uncounted_paths="a handler may come between a call and its callee",
        ),
        description=f"{variant.description}; {len(signals)} signals; {remark}",
    )
