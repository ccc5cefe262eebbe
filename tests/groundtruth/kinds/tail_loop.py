# SPDX-License-Identifier: GPL-2.0-or-later
"""Interpreters whose operations end with a jump to the next one: a million dispatches.

The operations are functions that go to each other by a table.  A call through it is the
last thing that each does, and is a jump, so all of it is one activation deep.  The memory
of the whole run is bounded.  Some of the operations call a function in between, some call
the interpreter itself.  An operation never follows itself: to jump to one's own beginning
is a loop, and calls nothing.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import assembler
from tests.groundtruth.kinds.writing import PRINTF

HEAD = """\
#include <stdio.h>
#include "truth.h"

typedef long (*Operation)(long left, long sum);

static unsigned long random_state = {seed};

static inline __attribute__((always_inline)) int draw(int self)
{{
   random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
   return (self + 1 + (int)((random_state >> 33) % {others})) % {count};
}}

OPAQUE long helper(long sum)
{{
   ENTER(helper);
   return sum * 3;
}}
"""

# musttail is clang's; gcc jumps from -O2 on.
OPERATION = """\
OPAQUE long op{at}(long left, long sum)
{{
   ENTER(op{at});
   if (left <= 0)
      return sum & 0xffff;
{work}
   int next = draw({at});
   CALL_NUMBER(fn_op{at}, numbers[next]);
   {musttail}return operations[next](left - 1, sum);
}}
"""

WORK = {
    "none": "   sum += {at};",
    "helper": (
        "   if (left % {every} == 0) {{\n      CALL(op{at}, helper);\n"
        "      sum += helper(left);\n      NO_TAIL_CALL;\n   }}"
    ),
    "nested": (
        "   if (left % {every} == 0) {{\n      int inner = draw({at});\n"
        "      CALL_NUMBER(fn_op{at}, numbers[inner]);\n"
        "      sum += operations[inner](100, left);\n      NO_TAIL_CALL;\n   }}"
    ),
}

MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = 0;
   for (int run = 0; run < {runs}; run++) {{
      CALL(main, {first});
      sum += {first}({arguments});
      NO_TAIL_CALL;
   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

DISPATCHES = 1_000_000
# A frame that each dispatch left behind would be some tens of megabytes.
PEAK_MEMORY = 62_000


def interpreter(
    random_: random.Random, seed: int, musttail: str
) -> tuple[str, list[str]]:
    count = random_.randint(3, 12)
    names = [f"op{at}" for at in range(count)]
    parts = [HEAD.format(seed=seed, others=count - 1, count=count)]
    parts += [f"OPAQUE long {name}(long left, long sum);" for name in names]
    table = ", ".join(names)
    numbers = ", ".join(f"fn_{name}" for name in names)
    parts.append(f"static const Operation operations[] = {{{table}}};")
    parts.append(f"static const int numbers[] = {{{numbers}}};\n")
    for at in range(count):
        work = random_.choice(("none", "none", "helper", "nested"))
        every = random_.choice((3, 50)) if work == "helper" else 20_011
        parts.append(
            OPERATION.format(
                at=at, work=WORK[work].format(at=at, every=every), musttail=musttail
            )
        )
    runs = random_.choice((1, 1, 10, 1000))
    parts.append(
        MAIN.format(runs=runs, first="op0", arguments=f"{DISPATCHES // runs}, run")
    )
    return "\n".join(parts), [*names, "helper"]


def assembler_loop(random_: random.Random, names: list[str]) -> str:
    """Functions in assembler that jump to each other and never call."""
    parts, tables = [assembler.head()], []
    for name in names:
        others = [other for other in names if other != name]
        body = assembler.return_when_done(1)
        ways = ("direct", "conditional", "table", "push")
        code, table = assembler.jump(random_, name, others, ways)
        parts.append(assembler.function(name, body + code))
        tables.append(table)
    return "\n".join(parts + tables)


def generate(random_: random.Random, seed: int) -> Case:
    in_assembler = random_.random() < 0.4
    variant = variants.draw(
        random_, levels=variants.LEVELS if in_assembler else ("-O2", "-O3")
    )
    if in_assembler:
        names = [f"jump{at}" for at in range(random_.randint(2, 8))]
        runs = random_.choice((1, 1, 10, 1000))
        prototypes = "".join(f"extern long {name}(long left);\n" for name in names)
        main = MAIN.format(runs=runs, first=names[0], arguments=f"{DISPATCHES // runs}")
        sources = {
            "main.c": f'#include <stdio.h>\n#include "truth.h"\n\n{prototypes}\n{main}',
            "jumps.S": assembler_loop(random_, names),
        }
    else:
        musttail = "" if variant.is_gcc else "__attribute__((musttail)) "
        text, names = interpreter(random_, seed, musttail)
        sources = {"main.c": text}
    return Case(
        kind="tail_loop",
        seed=seed,
        sources=sources,
        functions=["main", *names],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        # With its own checks, the tool would verify itself a million times.
        may_be_checked=False,
        may_have_tree=False,  # each order of operations in a chain is a path of its own
        may_have_flat_tree=True,
        has_tail_calls=True,
        rules=Rules(
            peak_memory=PEAK_MEMORY,
            bounded_arcs=in_assembler,
            uncounted_paths="loops of sibling calls are no paths",
            counts_flat_paths=True,
        ),
        description=variant.description + ("; assembler" if in_assembler else ""),
    )
