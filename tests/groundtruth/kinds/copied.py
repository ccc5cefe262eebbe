# SPDX-License-Identifier: GPL-2.0-or-later
"""Coroutines that share one place: their frames are copied away and back, as greenlet's.

A coroutine begins where `spawn` is called, below the frames of whoever called it.  `swap`
copies the frames of the one that it leaves away, moves the stack pointer (by a load, or
by an addition), and copies those of the one that it goes to back to where they were.  So
the `swap` of `spawn` returns twice: at once, in the new coroutine, and when the other one
goes on.  The frames above are shared: they are there for the new coroutine only as long
as the old one has not left them.  In some programs all frames up to main's are copied.
Measurement may begin while main runs, when others have been copied away.  In one program
of three `swap` is in a library that has greenlet's name, and no option says what it does.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.case import Case, Library, Rules
from tests.groundtruth.kinds import busy, copied_arm64, web
from tests.groundtruth.kinds.coroutine_texts import HOP_DEEP
from tests.groundtruth.kinds.scheduler import MAYBE_START, START, entry_call, fixed
from tests.groundtruth.kinds.switching import CHOOSE, SAVED, assembler
from tests.groundtruth.kinds.writing import PRINTF

HEAD = """\
#include <stdint.h>
#include <stdio.h>
{unit}
#include "truth.h"

enum {{ COROUTINES = {count}, SIZE = 1 << 17, HOME = COROUTINES, DEAD }};
struct coroutine {{
   char *low, *stop;              /* its frames lie between */
   unsigned long size;
   char *kept;                    /* a copy of them */
   volatile int alive;
}};
static struct coroutine all[COROUTINES + 2];
static char kept[COROUTINES + 2][SIZE];
static volatile int now = HOME;
static volatile long fuel;
static unsigned long switches;
static char *base;

/* Goes from one to another; NULL: to one that begins here.  It returns 1 there.  */
int swap(struct coroutine *from, struct coroutine *to);
{prototypes}
/* Is it plain that to go there is to leave the stack?  Nothing has shown yet that this
   program copies stacks.  */
static inline __attribute__((always_inline)) int is_far(const struct coroutine *self)
{{
   long up = self == NULL ? 0 : self->low - (char *)__builtin_frame_address(0);
   return up < -4096 || up > 1024;
}}
"""

# `swap` is assembler, and calls save and restore, or does it all itself.
MACROS = """\
#define SWAP(F, FROM, TO)                                                             \\
   ({{                                                                                 \\
      {start}                                                                         \\
      switches++;                                                                     \\
      CALL(F, swap);                                                                  \\
      {{                                                                               \\
         ENTER_CALLED(swap);                                                          \\
         {save}                                                                       \\
         {restore}                                                                    \\
         truth_calling_frame = 0; /* `swap` calls, and from anywhere */                \\
      }}                                                                               \\
      swap(FROM, TO);                                                                 \\
   }})
"""

COPY = """\
OPAQUE void {name}(struct coroutine *self)
{{
   unsigned long by = truth_calling;
   ENTER({name});
   {work}
   __asm__ volatile({copy});
   truth_calling = by;            /* for what is called next */
}}
"""
IS_ARM64 = target() == ARM64
REP_MOVSB = '"rep movsb" : "+S"(from), "+D"(to), "+c"(size) : : "memory"'
COPY_BYTES = copied_arm64.COPY if IS_ARM64 else REP_MOVSB
SAVE = COPY.format(
    name="save",
    copy=COPY_BYTES,
    work="unsigned long size = (unsigned long)(self->stop - self->low); "
    "char *from = self->low, *to = self->kept; self->size = size;",
)
RESTORE = COPY.format(
    name="restore",
    copy=COPY_BYTES,
    work="unsigned long size = self->size; char *from = self->kept, *to = self->low;",
)

SUSPEND = """\
OPAQUE void look(void)
{
   ENTER(look);
}

/* It returns twice, too.  */
OPAQUE int suspend(struct coroutine *from, struct coroutine *to)
{
   ENTER(suspend);
   int is_new = SWAP(suspend, from, to);
   NO_TAIL_CALL;
   CALL(suspend, look);
   look();
   NO_TAIL_CALL;
   return is_new;
}
#define LEAVE_FOR(F, FROM, TO) (CALL(F, suspend), suspend(FROM, TO))
"""
NO_SUSPEND = "#define LEAVE_FOR SWAP\n"

HOP = """\
OPAQUE void hop(long number)
{
   ENTER(hop);
   int from = now, to = choose((unsigned long)number);
   if (to == from)
      return;
   now = to;
   LEAVE_FOR(hop, &all[from], &all[to]);
   NO_TAIL_CALL;
}
"""

SPAWN = """\
OPAQUE void spawn(long number)
{{
   ENTER(spawn);
   char *here = (char *)__builtin_dwarf_cfa();
   int at = (int)((unsigned long)number % COROUTINES), from = now;
   if (at == from || (all[at].alive && number % 4 != 0) || base - here > SIZE / 2)
      return;
   all[at].stop = {stop};
   all[at].alive = 1;
   now = at;
   if (LEAVE_FOR(spawn, &all[from], NULL)) {{
      int entry = (int)((unsigned long)number % {entries});
      CALL_NUMBER(fn_spawn, numbers[entry]);
      entries[entry]();
      __builtin_trap();
   }}
   NO_TAIL_CALL;
}}
"""

ENTRY = """\
OPAQUE void {name}(void)
{{
   ENTER({name});
   volatile long sum = {start}, a = 1, depth = {depth};
   {call}
   (void)a;
   all[DEAD].stop = all[now].stop;
   all[now].alive = 0;
   now = choose((unsigned long)sum);
   (void)LEAVE_FOR({name}, &all[DEAD], &all[now]);
   __builtin_trap();
}}
"""

MAIN = """\
int OPAQUE main(void)
{{
   ENTER(main);
   volatile long sum = {seed}, a = 3, depth = {depth};
   base = (char *)__builtin_dwarf_cfa();
   for (int at = 0; at < COROUTINES + 2; at++)
      all[at].kept = kept[at];
   all[HOME].alive = 1;
   all[HOME].stop = base;
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
      CALL(main, spawn);
      spawn(sum + round);
      NO_TAIL_CALL;
      {call}
   }}
   (void)a, (void)depth;
   {start}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

WRITERS = {
    "hop": "{{ CALL({caller}, hop); hop(sum + fuel); }}",
    "spawn": "{{ CALL({caller}, spawn); spawn(sum + fuel); }}",
    "deep": "{{ CALL({caller}, hop_deep); sum += hop_deep(sum, {depth}); }}",
}

# What moves the stack pointer to (%rsi).
MOVES = {
    "load": ["mov (%rsi),%rsp"],
    "load from register": ["mov (%rsi),%rax", "mov %rax,%rsp"],
    "add": ["mov (%rsi),%rax", "sub %rsp,%rax", "add %rax,%rsp"],
    "sub": ["mov %rsp,%rax", "sub (%rsi),%rax", "sub %rax,%rsp"],
    "lea": ["mov (%rsi),%rax", "sub %rsp,%rax", "lea (%rsp,%rax),%rsp"],
}
SAVE_INLINE = ["mov 8(%rdi),%rcx", "sub %rsp,%rcx", "mov %rcx,16(%rdi)"]
SAVE_INLINE += ["mov %rsi,%rax", "mov %rsp,%rsi", "mov 24(%rdi),%rdi", "rep movsb"]
SAVE_INLINE += ["mov %rax,%rsi"]
SAVE_BY_CALL = ["mov %rsi,%rbx", "sub $8,%rsp", "call save", "add $8,%rsp"]
SAVE_BY_CALL += ["mov %rbx,%rsi"]
RESTORE_INLINE = ["mov 16(%rsi),%rcx", "mov (%rsi),%rdi", "mov %rsi,%rax"]
RESTORE_INLINE += ["mov 24(%rsi),%rsi", "rep movsb", "mov %rax,%rsi"]
RESTORE_BY_CALL = ["mov %rsi,%rdi", "sub $8,%rsp", "call restore", "add $8,%rsp"]


@dataclass
class Plan:
    """What has been drawn for one program."""

    names: list[str]
    entries: list[str]
    move: str
    saves: str  # inline, by call
    restores: str  # inline, by call
    ends_by_ret: bool
    suspends: bool
    copies_all: bool
    depth: int
    starts_at: int  # 0: measured from the beginning


def draw_plan(random_: random.Random) -> Plan:
    starts_at = random_.randint(1, 60) if random_.random() < 0.25 else 0
    # Short ways up by addition are of no interest before it is known what they are for.
    all_moves = copied_arm64.MOVES if IS_ARM64 else MOVES
    moves = [move for move in all_moves if not starts_at or move.startswith("load")]
    return Plan(
        names=[f"c{at}" for at in range(random_.randint(1, 5))],
        entries=[f"entry{at}" for at in range(random_.randint(1, 3))],
        move=random_.choice(moves),
        saves=random_.choice(("inline", "by call")),
        restores=random_.choice(("inline", "by call")),
        ends_by_ret=random_.random() < 0.7,
        suspends=random_.random() < 0.4,
        copies_all=random_.random() < 0.25,
        depth=random_.choice((2, 4, 8)),
        starts_at=starts_at,
    )


def swap_text(plan: Plan) -> str:
    if IS_ARM64:
        how = (plan.saves, plan.restores, plan.ends_by_ret)
        return assembler("swap", copied_arm64.swap(plan.move, *how))
    pops = [f"pop %{name}" for name in reversed(SAVED)]
    lines = [f"push %{name}" for name in SAVED] + ["mov %rsp,(%rdi)"]
    lines += SAVE_INLINE if plan.saves == "inline" else SAVE_BY_CALL
    lines += ["test %rsi,%rsi", "jne 1f", *pops, "mov $1,%eax", "ret", "1:"]
    restore = RESTORE_BY_CALL if plan.restores == "by call" else RESTORE_INLINE
    lines += [*MOVES[plan.move], *restore]
    end = ["ret"] if plan.ends_by_ret else ["pop %r8", "jmp *%r8"]
    return assembler("swap", [*lines, *pops, "xor %eax,%eax", *end])


# What a library's name has that copies stacks, and one program in so many has it.
LIBRARY = "greenlet"
LIBRARY_SHARE = 3


def has_library(seed: int) -> bool:
    return seed % LIBRARY_SHARE == 1


def library(plan: Plan) -> Library:
    text = swap_text(plan)
    for name in ("save", "restore"):
        text = text.replace(f"call {name}", f"call {name}@PLT")
    return Library(LIBRARY, {"swap.c": text})


def copying_texts(plan: Plan) -> list[str]:
    """What `swap` calls."""
    texts = []
    if plan.saves == "by call":
        texts.append(SAVE)
    if plan.restores == "by call":
        texts.append(RESTORE)
    return texts


def program_text(random_: random.Random, plan: Plan, seed: int) -> str:
    entries = "".join(f"OPAQUE void {name}(void);\n" for name in plan.entries)
    entries += f"static void (*const entries[])(void) = {{{', '.join(plan.entries)}}};\n"
    numbers = ", ".join(f"fn_{name}" for name in plan.entries)
    entries += f"static const int numbers[] = {{{numbers}}};\n"
    start = MAYBE_START.format(at=plan.starts_at) if plan.starts_at else ""
    start = start.replace("!is_on &&", "!is_on && (FROM) == &all[HOME] && is_far(TO) &&")
    parts = [
        HEAD.format(
            unit=START if plan.starts_at else "",
            count=random_.choice((1, 2, 4, 4, 7)),
            prototypes=web.prototypes(plan.names) + entries,
        ),
        CHOOSE,
        *copying_texts(plan),
        "" if has_library(seed) else swap_text(plan),
        MACROS.format(
            start=start,
            save="CALL(swap, save);" if plan.saves == "by call" else "",
            restore="if ((TO) != NULL) CALL(swap, restore);"
            if plan.restores == "by call"
            else "",
        ),
        SUSPEND if plan.suspends else NO_SUSPEND,
        HOP,
        HOP_DEEP,
        SPAWN.format(
            stop="base" if plan.copies_all else "here", entries=len(plan.entries)
        ),
    ]
    writers = [web.direct_call(random_, plan.names)] * 2
    writers += [fixed(WRITERS["hop"]), fixed(WRITERS["spawn"])]
    writers.append(fixed(WRITERS["deep"], depth=random_.choice((2, 8))))
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
    parts.append(
        MAIN.format(
            seed=seed,
            depth=plan.depth,
            rounds=random_.randint(2, 8),
            fuel=random_.randint(60, 400),
            call=entry_call(plan.names[0], "main"),
            start=MAYBE_START.format(at=0) if plan.starts_at else "",
        )
    )
    return "\n".join(parts)


def generate(random_: random.Random, seed: int) -> Case:
    plan = draw_plan(random_)
    variant = variants.draw(random_, may_be_static=not has_library(seed))
    text = program_text(random_, plan, seed)
    functions = ["main", "hop", "hop_deep", "spawn", "swap", *plan.names, *plan.entries]
    functions += ["save"] if plan.saves == "by call" else []
    functions += ["restore"] if plan.restores == "by call" else []
    functions += ["suspend", "look"] if plan.suspends else []
    what = f"{plan.move}; saves {plan.saves}; restores {plan.restores}"
    what += "" if plan.ends_by_ret else "; ends by jmp"
    what += "; suspends" if plan.suspends else ""
    what += "; copies all" if plan.copies_all else ""
    what += f"; starts at {plan.starts_at}" if plan.starts_at else ""
    what += "; library" if has_library(seed) else ""
    options = [] if has_library(seed) else ["--copied-stacks=yes"]
    options += ["--instr-atstart=no"] if plan.starts_at else []
    return Case(
        kind="copied",
        seed=seed,
        sources={"main.c": text},
        libraries=[library(plan)] if has_library(seed) else [],
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=PRINTF,
        options=options,
        rules=Rules(
            uncounted_paths="it counts by macros of its own" if plan.starts_at else ""
        ),
        description=f"{variant.description}; {what}",
    )
