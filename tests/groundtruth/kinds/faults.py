# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions that fault again and again, and are executed again by a handler.

Functions in assembler read and write pages that are protected before each call.  They do
so in straight code of any length, in loops over the pages, and behind branches, so that
many superblocks hold the same access.  The handler allows the access to the page, and may
call such a function itself, which faults in its turn.

Such a function costs the same at each call, whatever faults: for each event, what the
generator has added up while it wrote the function.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, ARM64, target
from tests.groundtruth.case import Case, Rules

PAGE = 4096
PLACE = 32  # what no access is larger than, nor unaligned

HEAD = """\
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "system_call.h"
#include "truth.h"

enum {{ PAGE = {page}, PAGES = {pages}, AREA = PAGE * PAGES }};
static char *area; /* of the program; behind it, of the handler */
static volatile long faults;

static inline __attribute__((always_inline)) void protect(char *where, long size,
                                                          int protection)
{{
   if (system_call(SYS_mprotect, (long)where, size, protection) != 0)
      __builtin_trap();
}}
"""

HANDLER = """\
OPAQUE void on_fault(int signal, siginfo_t *info, void *context)
{{
   ENTER(on_fault);
   ROOT(on_fault);
   (void)signal, (void)context;
   char *page = (char *)((uintptr_t)info->si_addr / PAGE * PAGE);
   faults++;
   protect(page, PAGE, PROT_READ | PROT_WRITE);
{within}}}
"""
# What faults there is mended without this.
WITHIN = """\
   if (page < area + AREA && faults % {often} == 0) {{
      protect(area + AREA, AREA, {protection});
      CALL(on_fault, {function});
      {{ ENTER_CALLED({function}); {function}(area + AREA); }}
      NO_TAIL_CALL;
   }}
"""

CALLER = """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   for (int i = 0; i < {rounds}; i++) {{
{calls}   }}
   NO_TAIL_CALL;
   return sum + a;
}}
"""
CALL_OF_FUNCTION = """\
      protect(area, AREA, {protection});
      CALL({name}, {function});
      {{ ENTER_CALLED({function}); {function}(area); }}
"""

MAIN = """\
int main(void)
{{
   ENTER(main);
   static struct sigaction action;
   action.sa_sigaction = on_fault;
   action.sa_flags = SA_SIGINFO | SA_NODEFER;
   CALL_OUT(main, mmap);
   area = mmap(NULL, 2 * AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
               -1, 0);
   CALL_OUT(main, sigaction);
   sigaction(SIGSEGV, &action, NULL);
   long sum = 0;
{calls}   CALL_OUT(main, printf);
   printf("%ld %d\\n", sum, faults > 0);
   return 0;
}}
"""

# What accesses the place {at}, and how often it makes each event.  VEX drops what is read
# for nothing, such as a comparison whose flags nobody reads.
AMD64_ACCESSES: dict[str, dict[str, int]] = {
    "movb $1,{at}": {"Ir": 1, "Dw": 1},
    "movups %xmm0,{at}": {"Ir": 1, "Dw": 1},
    "movaps %xmm0,{at}": {"Ir": 1, "Dw": 1},
    "movzbl {at},%eax": {"Ir": 1, "Dr": 1},
    "movaps {at},%xmm1": {"Ir": 1, "Dr": 1},
    "addb $1,{at}": {"Ir": 1, "Dw": 1},
    "lock addl $1,{at}": {"Ir": 1, "Dr": 1, "Dw": 1, "Ge": 1},
    "xchg %eax,{at}": {"Ir": 1, "Dr": 1, "Dw": 1, "Ge": 1},
    "push {at}; pop %rax": {"Ir": 2, "Dr": 2, "Dw": 1},
}

ARM64_ACCESSES: dict[str, dict[str, int]] = {
    "strb w9,{at}": {"Ir": 1, "Dw": 1},
    "str x9,{at}": {"Ir": 1, "Dw": 1},
    "str q0,{at}": {"Ir": 1, "Dw": 1},
    "ldrb w9,{at}": {"Ir": 1, "Dr": 1},
    "ldr q1,{at}": {"Ir": 1, "Dr": 1},
    "ldr x9,{at}; add x9,x9,1; str x9,{at}": {"Ir": 3, "Dr": 1, "Dw": 1},
    "str w9,{at}; ldrsw x9,{at}": {"Ir": 2, "Dr": 1, "Dw": 1},
}


@dataclass(frozen=True)
class Dialect:
    """What of the text is an architecture's."""

    accesses: dict[str, dict[str, int]]
    place: str
    argument: str  # the register that a function's argument is in
    cursor: str
    loop_starts: list[str]
    skip: list[str]
    step: str
    loop_ends: list[str]
    return_cost: dict[str, int]


DIALECTS = {
    AMD64: Dialect(
        accesses=AMD64_ACCESSES,
        place="{place}(%{register})",
        argument="rdi",
        cursor="rsi",
        loop_starts=["mov %rdi,%rsi", "mov ${pages},%ecx"],
        skip=["test $1,%cl", "jz 2f"],
        step=f"add ${PAGE},%rsi",
        loop_ends=["dec %ecx", "jnz 1b"],
        return_cost={"Ir": 1, "Dr": 1},
    ),
    ARM64: Dialect(
        accesses=ARM64_ACCESSES,
        place="[{register},{place}]",
        argument="x0",
        cursor="x1",
        loop_starts=["mov x1,x0", "mov w2,{pages}"],
        skip=["tst w2,1", "b.eq 2f"],
        step=f"add x1,x1,{PAGE}",
        loop_ends=["subs w2,w2,1", "b.ne 1b"],
        return_cost={"Ir": 1},
    ),
}

OPTIONS: tuple[list[str], ...] = (
    [],
    ["--cache-sim=yes"],
    ["--cache-sim=yes", "--collect-bus=yes", "--ct-cold-runs=0"],
    ["--collect-bus=yes", "--branch-sim=yes"],
    ["--cache-sim=yes", "--branch-sim=yes", "--dump-instr=yes"],
)


class Code:
    """Lines of assembler, and what one execution of them costs."""

    def __init__(self, random_: random.Random) -> None:
        self.random = random_
        self.dialect = DIALECTS[target()]
        self.lines: list[str] = []
        self.cost: Counter[str] = Counter()
        self.place = 0

    def add(self, line: str, cost: dict[str, int], times: int = 1) -> None:
        self.lines.append(line)
        for event, count in cost.items():
            self.cost[event] += count * times

    def nops(self, count: int, times: int = 1) -> None:
        if count:
            self.add(f".rept {count}; nop; .endr", {"Ir": count}, times)

    def access(self, register: str, times: int = 1) -> None:
        """No place is accessed twice: of two reads VEX would make one."""
        accesses = self.dialect.accesses
        text = self.random.choice(list(accesses))
        for _ in range(self.random.choice((1, 1, 2))):
            self.place += PLACE
            at = self.dialect.place.format(place=self.place, register=register)
            self.add(text.format(at=at), accesses[text], times)

    def straight(self, register: str, times: int = 1) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.nops(self.random.choice((0, 1, 3, 3, 10, 70)), times)
            self.access(register, times)
        self.nops(self.random.choice((0, 2, 5, 70)), times)

    def loop(self, pages: int) -> None:
        """Over the pages, and on every other one a branch round some of the code."""
        texts = self.dialect
        for text in texts.loop_starts:
            self.add(text.format(pages=pages), {"Ir": 1})
        self.lines.append("1:")
        self.straight(texts.cursor, pages)
        if self.random.random() < 0.6:
            for text in texts.skip:
                self.add(text, {"Ir": 1}, pages)
            self.straight(texts.cursor, (pages + 1) // 2)
            self.lines.append("2:")
            self.straight(texts.cursor, pages)
        for text in (texts.step, *texts.loop_ends):
            self.add(text, {"Ir": 1}, pages)


def function(random_: random.Random, name: str, pages: int) -> tuple[str, dict[str, int]]:
    """Text, and what a call costs."""
    code = Code(random_)
    for _ in range(random_.randint(1, 3)):
        if random_.random() < 0.5:
            code.straight(code.dialect.argument)
        else:
            code.loop(pages)
    code.add("ret", code.dialect.return_cost)
    lines = [f".type {name},@function", ".p2align 4", f"{name}:", *code.lines]
    lines.append(f".size {name},.-{name}")
    text = "\n".join(f'        "{line}\\n"' for line in lines)
    return f'void {name}(char *where);\n__asm__(".text\\n"\n{text});\n', dict(code.cost)


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    pages = random_.choice((2, 7, 20))
    names = [f"f{at}" for at in range(random_.randint(1, 4))]
    callers = [f"c{at}" for at in range(random_.randint(1, 3))]
    parts, costs = [HEAD.format(page=PAGE, pages=pages)], {}
    for name in names:
        text, costs[name] = function(random_, name, pages)
        parts.append(text)
    within = ""
    if random_.random() < 0.4:
        within = WITHIN.format(
            often=random_.randint(2, 9),
            function=random_.choice(names),
            protection=random_.choice(("PROT_NONE", "PROT_READ")),
        )
    parts.append(HANDLER.format(within=within))
    for name in callers:
        calls = [
            CALL_OF_FUNCTION.format(
                name=name,
                function=random_.choice(names),
                # The first one is sure to fault.
                protection="PROT_NONE" if i == 0 else random_.choice(
                    ("PROT_NONE", "PROT_READ", "PROT_READ | PROT_WRITE")
                ),
            )
            for i in range(random_.randint(1, 3))
        ]
        rounds = random_.choice((1, 2, 30, 100))
        parts.append(CALLER.format(name=name, rounds=rounds, calls="".join(calls)))
    calls = [f"   CALL(main, {name});\n   sum += {name}({seed});\n" for name in callers]
    parts.append(MAIN.format(calls="".join(calls)))
    options = random_.choice(OPTIONS)
    return Case(
        kind="faults",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *callers, *names, "on_fault"],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={
            "printf": ["printf", "__printf_chk"],
            "sigaction": ["sigaction", "__sigaction"],
            "mmap": ["mmap", "mmap64", "__mmap*"],
        },
        # Without it most registers have old values when an instruction faults.
        options=["--vex-iropt-register-updates=allregs-at-mem-access", *options],
        rules=Rules(roots=["__restore_rt", "0x*"], cost_of_call=costs),
        description=f"{variant.description}; {pages} pages; {' '.join(options)}"
        f"{'; faults within handlers' if within else ''}",
    )
