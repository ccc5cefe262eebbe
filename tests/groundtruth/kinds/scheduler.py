# SPDX-License-Identifier: GPL-2.0-or-later
"""Coroutines that go to one another by way of a scheduler's stack.

A coroutine calls `mcall`, which saves where it is and calls (or jumps to) the scheduler
on a stack of its own.  The scheduler never returns: it chooses the next coroutine, and
goes there by `gogo`, which loads that one's stack pointer.  The next time it is entered
at the top of its stack again.  Go does it so, and many libraries of green threads.  Main
is one of the coroutines.  Measurement may begin anywhere.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.groundtruth import variants
from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, scheduler_arm64, web
from tests.groundtruth.kinds.coroutine_texts import HEAP_STACK, HOP_DEEP
from tests.groundtruth.kinds.switching import SAVED, assembler
from tests.groundtruth.kinds.writing import PRINTF

HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
{unit}
#include "truth.h"

enum {{ COROUTINES = {count}, SIZE = {size}, HOME = COROUTINES }};
struct coroutine {{
   void *sp, *pc;
   void *saved[{saved}];
   char *stack;
   volatile int alive;
{fields}}};
static struct coroutine all[COROUTINES + 1];
static volatile int now = HOME;
static volatile long fuel;
static char *top_of_scheduler;
static unsigned long switches;

void mcall(struct coroutine *self, void *top, void (*scheduler)(void));
void gogo(struct coroutine *next);
OPAQUE void schedule(void);
"""

# Counted inside by nobody: `mcall` and `gogo` are assembler.
MACROS = """\
#define MCALL(F)                                                                      \\
   do {{                                                                               \\
      char *top_ = {top};                                                             \\
      {start}                                                                         \\
      switches++;                                                                     \\
      CALL(F, mcall);                                                                 \\
      {enter}                                                                         \\
      mcall(&all[now], top_, schedule);                                               \\
   }} while (0)
#define GOGO(F, TO)                                                                   \\
   do {{                                                                               \\
      {start}                                                                         \\
      CALL(F, gogo);                                                                  \\
      {{ ENTER_CALLED(gogo); }}                                                         \\
      now = (TO);                                                                     \\
      gogo(&all[TO]);                                                                 \\
      __builtin_trap();                                                               \\
   }} while (0)
"""

ENTER_BY_CALL = "{ ENTER_CALLED(mcall); CALL(mcall, schedule); }"
ENTER_AS_ROOT = "{ ENTER_CALLED(mcall); }"

SCHEDULER = """\
OPAQUE int pick(unsigned long number, int more)
{{
   ENTER(pick);
   if (more > 0) {{
      CALL(pick, pick);
      int found = pick(number / 3, more - 1);
      NO_TAIL_CALL;
      return found;
   }}
   int at = (int)(number % (COROUTINES + 1));
   while (!all[at].alive)
      at = (at + 1) % (COROUTINES + 1);
   return at;
}}

OPAQUE void execute(int to)
{{
   ENTER(execute);
   GOGO(execute, to);
}}

OPAQUE void schedule(void)
{{
   ENTER(schedule);
   {root}
   CALL(schedule, pick);
   int to = pick(switches * 2654435761UL >> 7, (int)(switches % {more}));
   {before_going}
   if (switches % {nest} == 0) {{
      CALL(schedule, execute);
      execute(to);
   }}
   GOGO(schedule, to);
}}

OPAQUE void hop(long number)
{{
   ENTER(hop);
   (void)number;
   MCALL(hop);
   NO_TAIL_CALL;
}}
"""

ENTRY = """\
OPAQUE void {name}(void)
{{
   ENTER({name});
   ROOT({name});
   volatile long sum = {start}, a = 1, depth = {depth};
   {call}
   (void)a;
   /* Here it has a single frame.  */
   if (sum & 1) {{
      MCALL({name});
      sum++;
      MCALL({name});
   }}
   all[now].alive = 0;
   MCALL({name});
   __builtin_trap();
}}
"""

MAKE = """\
OPAQUE void coroutine_make(struct coroutine *self, void (*entry)(void))
{{
   ENTER(coroutine_make);
   uintptr_t *top = (uintptr_t *)(((uintptr_t)self->stack + SIZE) & ~(uintptr_t)15);
   *--top = 0;
   {words}
   self->sp = top;
   self->pc = (void *)entry;
   self->alive = 1;
}}
"""

MAIN = """\
int OPAQUE main(void)
{{
   ENTER(main);
   volatile long sum = {seed}, a = 3, depth = {depth};
   {place}
   all[HOME].alive = 1;
   for (int round = 0; round < {rounds}; round++) {{
      for (int at = 0; at < COROUTINES; at++)
         if (!all[at].alive || (unsigned long)(sum + at) % 8 < {abandoned}) {{
            {renew}
            CALL(main, coroutine_make);
            coroutine_make(&all[at], entries[(unsigned long)(round + at) % {entries}]);
         }}
      fuel = {fuel};
      {call}
   }}
   (void)a, (void)depth;
   {start}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

# Where the coroutines' stacks lie: what is done once, and what for each new one.
_EACH = "for (int at = 0; at < COROUTINES; at++) all[at].stack = block[at];"
PLACES = {
    "static": ("static char block[COROUTINES][SIZE]; " + _EACH, ""),
    "main's frame": ("char block[COROUTINES][SIZE]; " + _EACH, ""),
    "heap": ("", HEAP_STACK),
}

START = """\
#define TRUTH_UNIT is_on
static unsigned long is_on;
#include "callgrind.h"
"""
MAYBE_START = (
    "if (!is_on && switches >= {at}) {{ for (int f_ = 0; f_ < TRUTH_FUNCTIONS; f_++) "
    "LIVE(f_); is_on = 1; CALLGRIND_START_INSTRUMENTATION; }}"
)


@dataclass
class Switch:
    """How coroutines go to the scheduler and come back; `words` a new one begins with."""

    name: str
    mcall: list[str]
    gogo: list[str]
    words: str
    enter: str
    root: str


# What a way to save and resume is made of: its name, mcall, gogo, and the words.
Written = tuple[str, list[str], list[str], str]


def _saved_apart(random_: random.Random, enter: list[str]) -> Written:
    """As Go has it: registers and place in memory; the stack pointer above the slot."""
    mcall = ["mov (%rsp),%rax", "mov %rax,8(%rdi)", "lea 8(%rsp),%rax"]
    mcall += ["mov %rax,(%rdi)"]
    mcall += [f"mov %{name},{16 + 8 * at}(%rdi)" for at, name in enumerate(SAVED)]
    load = [f"mov {16 + 8 * at}(%rdi),%{name}" for at, name in enumerate(SAVED)]
    ways = {
        "jmp": ["mov (%rdi),%rsp", "jmp *8(%rdi)"],
        "push, ret": ["mov (%rdi),%rsp", "push 8(%rdi)", "ret"],
        "ret": ["mov (%rdi),%rcx", "mov 8(%rdi),%rdx", "lea -8(%rcx),%rcx"]
        + ["mov %rdx,(%rcx)", "mov %rcx,%rsp", "ret"],
    }
    way = random_.choice(list(ways))
    return f"apart, {way}", mcall + enter, load + ways[way], ""


def _pushed(random_: random.Random, enter: list[str]) -> Written:
    """On the stack; SP is loaded there, or when they have been read."""
    mcall = [f"push %{name}" for name in SAVED] + ["mov %rsp,(%rdi)"]
    # What is pushed behind is nobody's: the stack is resumed above.
    mcall += ["push %rdx"] * random_.choice((0, 0, 1, 3))
    pops = [f"pop %{name}" for name in reversed(SAVED)]
    words = list(reversed(SAVED))
    reads = [f"mov {8 * at}(%rdi),%{name}" for at, name in enumerate(words)]
    ways = {
        "pops, ret": ["mov (%rdi),%rsp", *pops, "ret"],
        "pops, jmp": ["mov (%rdi),%rsp", *pops, "pop %r8", "jmp *%r8"],
        "reads, ret": ["mov (%rdi),%rdi", *reads, "lea 48(%rdi),%rdi"]
        + ["mov %rdi,%rsp", "ret"],
        "reads, jmp": ["mov (%rdi),%rdi", *reads, "mov 48(%rdi),%rdx"]
        + ["lea 56(%rdi),%rdi", "mov %rdi,%rsp", "jmp *%rdx"],
    }
    way = random_.choice(list(ways))
    made = "*--top = (uintptr_t)entry; top -= 6;"
    return f"pushed, {way}", mcall + enter, ways[way], made


# By what the way is called: what mcall ends with.
_ENTERING = {
    "call": ["mov %rsi,%rsp", "call *%rdx", "ud2"],
    "call by name": ["mov %rsi,%rsp", "call schedule", "ud2"],
    "jump": ["mov %rsi,%rsp", "push $0", "jmp *%rdx"],
    "ret": ["mov %rsi,%rsp", "push $0", "push %rdx", "ret"],
}


def draw_switch(random_: random.Random) -> Switch:
    is_arm64 = target() == ARM64
    way = random_.choice(("call", "call", "call by name", "jump", "ret"))
    enter = (scheduler_arm64.ENTERING if is_arm64 else _ENTERING)[way]
    writers = (_saved_apart, _pushed)
    if is_arm64:
        writers = (scheduler_arm64.saved_apart, scheduler_arm64.pushed)
    name, mcall, gogo, words = random_.choice(writers)(random_, enter)
    calls = way.startswith("call")
    return Switch(
        name=f"{way}; {name}",
        mcall=mcall,
        gogo=gogo,
        words=words,
        enter=ENTER_BY_CALL if calls else ENTER_AS_ROOT,
        root="" if calls else "ROOT(schedule);",
    )


WRITERS = {
    "hop": "{{ CALL({caller}, hop); hop(sum + fuel); }}",
    "inline": "{{ MCALL({caller}); }}",
    "deep": "{{ CALL({caller}, hop_deep); sum += hop_deep(sum, {depth}); }}",
}


def fixed(text: str, **values: object) -> web.CallWriter:
    return lambda caller: text.format(caller=caller, **values)


def entry_call(name: str, caller: str, most: int = busy.MOST_CALLS) -> str:
    call = f"CALL({caller}, {name}); sum += {name}(sum, depth); NO_TAIL_CALL;"
    return busy.repeated(call, most)


@dataclass
class Plan:
    """What has been drawn for one program."""

    names: list[str]
    entries: list[str]
    switch: Switch
    size: int
    depth: int
    starts_at: int  # 0: measured from the beginning
    at_home: bool  # the scheduler runs below main's own frame
    varies: bool  # the top of its stack does
    # What another kind adds.
    fields: str = ""
    texts: str = ""
    before_going: str = ""
    extra_writer: str = ""
    functions: list[str] = field(default_factory=list)


def draw_plan(random_: random.Random) -> Plan:
    # clang's frames at -O0 are almost 2 KB large: eight of these, and hop_deep's, fit.
    size = random_.choice((1 << 15, 1 << 15, 1 << 17))
    at_home = random_.random() < 0.25
    return Plan(
        names=[f"c{at}" for at in range(random_.randint(1, 5))],
        entries=[f"entry{at}" for at in range(random_.randint(1, 3))],
        switch=draw_switch(random_),
        size=size,
        depth=random_.choice((2, 4, 8)) if size <= 1 << 15 else random_.choice((4, 30)),
        starts_at=random_.randint(1, 200) if random_.random() < 0.35 else 0,
        at_home=at_home,
        varies=random_.random() < 0.3,
    )


def macros(plan: Plan) -> str:
    start = MAYBE_START.format(at=plan.starts_at) if plan.starts_at else ""
    top = "top_of_scheduler"
    if plan.varies:
        top += " - switches * 5 % 7 * 16"
    if plan.at_home:
        frame = "(uintptr_t)__builtin_frame_address(0)"
        home = f"(char *)(({frame} - 1024) & ~(uintptr_t)15)"
        top = f"(now == HOME ? (top_of_scheduler = {home}) : {top})"
    return MACROS.format(top=top, start=start, enter=plan.switch.enter)


def program_text(
    random_: random.Random, plan: Plan, seed: int, place: tuple[str, str]
) -> str:
    unit = START if plan.starts_at else ""
    count = random_.choice((1, 2, 4, 4, 7))
    saved = len(scheduler_arm64.SAVED if target() == ARM64 else SAVED)
    head = HEAD.format(
        unit=unit, count=count, size=plan.size, saved=saved, fields=plan.fields
    )
    parts = [head, plan.texts, macros(plan)]
    parts += [assembler("mcall", plan.switch.mcall), assembler("gogo", plan.switch.gogo)]
    parts.append(web.prototypes(plan.names))
    parts.append(
        SCHEDULER.format(
            root=plan.switch.root,
            more=random_.choice((1, 3)),
            nest=random_.choice((2, 3, 1000)),
            before_going=plan.before_going,
        )
    )
    parts.append(HOP_DEEP)
    direct = web.direct_call(random_, plan.names)
    writers = [direct, direct, *map(fixed, (WRITERS["hop"], WRITERS["inline"]))]
    writers.append(fixed(WRITERS["deep"], depth=random_.choice((2, 8, 20))))
    if plan.extra_writer:
        writers += [fixed(plan.extra_writer)] * 2
    for name in plan.names:
        always = [fixed(WRITERS["hop"]), *random_.sample(writers, 2)]
        parts.append(busy.function(random_, name, writers, always))
    for name in plan.entries:
        parts.append(
            ENTRY.format(
                name=name,
                start=random_.randint(0, 99),
                depth=plan.depth,
                call=entry_call(random_.choice(plan.names), name, 5),
            )
        )
    parts.append(MAKE.format(words=plan.switch.words))
    parts.append(
        f"static void (*const entries[])(void) = {{{', '.join(plan.entries)}}};\n"
    )
    parts.append(main_text(random_, plan, seed, place))
    return "\n".join(parts)


def main_text(
    random_: random.Random, plan: Plan, seed: int, place: tuple[str, str]
) -> str:
    begin, renew = place
    begin += (
        " static char scheduler_block[1 << 14] __attribute__((aligned(16))); "
        "top_of_scheduler = scheduler_block + sizeof scheduler_block;"
    )
    call = entry_call(plan.names[0], "main")
    if plan.at_home:
        call = busy.repeated("CALL(main, hop); hop(sum); NO_TAIL_CALL;")
    start = MAYBE_START.format(at=0) if plan.starts_at else ""
    return MAIN.format(
        seed=seed,
        depth=plan.depth,
        place=begin,
        rounds=random_.randint(2, 8),
        abandoned=random_.choice((0, 0, 1, 3)),
        renew=renew,
        entries=len(plan.entries),
        fuel=random_.randint(60, 400),
        call=call,
        start=start,
    )


def generate(random_: random.Random, seed: int) -> Case:
    plan = draw_plan(random_)
    place = random_.choice(list(PLACES))
    return make_case(random_, plan, "scheduler", seed, place, PLACES[place])


def make_case(
    random_: random.Random,
    plan: Plan,
    kind: str,
    seed: int,
    place: str,
    stacks: tuple[str, str],
) -> Case:
    variant = variants.draw(random_)
    text = program_text(random_, plan, seed, stacks)
    functions = ["main", "coroutine_make", "hop", "hop_deep", "schedule", "execute"]
    functions += ["pick", "mcall", "gogo", *plan.names, *plan.entries, *plan.functions]
    what = f"; starts at {plan.starts_at}" if plan.starts_at else ""
    what += "; at home" if plan.at_home else "; top varies" if plan.varies else ""
    return Case(
        kind=kind,
        seed=seed,
        sources={"main.c": text},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, "malloc": ["malloc"], "free": ["free", "cfree"]},
        options=["--instr-atstart=no"] if plan.starts_at else [],
        rules=Rules(
            uncounted_paths="it counts by macros of its own" if plan.starts_at else ""
        ),
        description=f"{variant.description}; {plan.switch.name}; {place}{what}",
    )
