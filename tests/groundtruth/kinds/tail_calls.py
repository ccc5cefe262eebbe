# SPDX-License-Identifier: GPL-2.0-or-later
"""Sibling calls in all forms: by jmp, jcc, tables, push and ret, by falling on.

Functions in C end with calls, of which compilers make jumps from -O2 on.  Functions in
assembler jump to each other and to those in C: by `jmp`, `jcc`, tables, a pushed address
and `ret`, or by running off their end into the next function.  They call each other, too.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import assembler
from tests.groundtruth.kinds.writing import PRINTF

C_HEAD = """\
#include <stdio.h>
#include "truth.h"
"""

C_FUNCTION = """\
OPAQUE long {name}(long left)
{{
   ENTER({name});
   if (left <= 0)
      return left;
   if (left & {bit}) {{
      CALL({name}, {first});
      return {first}(left - 1);
   }}
   CALL({name}, {second});
   return {second}(left - {step});
}}
"""

MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = {seed};
   for (int round = 0; round < {rounds}; round++) {{
{calls}   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

WAYS = ("direct", "direct", "conditional", "table", "push")


def assembler_text(
    random_: random.Random, own: list[str], all_names: list[str], nested: bool
) -> str:
    """The functions in assembler; each but the last may fall on into the next."""
    parts, tables = [assembler.head()], []
    for at, name in enumerate(own):
        others = [other for other in all_names if other != name]
        body = "   nop\n" * random_.randint(0, 3)
        body += assembler.return_when_done(random_.randint(1, 2))
        if nested and random_.random() < 0.4:
            body += assembler.call(random_, name, all_names)
        following = ""
        if at + 1 < len(own) and random_.random() < 0.25:
            following = own[at + 1]
        else:
            code, table = assembler.jump(random_, name, others, WAYS)
            body += code
            tables.append(table)
        parts.append(assembler.function(name, body, following))
    return "\n".join(parts + tables)


def c_text(random_: random.Random, own: list[str], all_names: list[str]) -> str:
    parts = []
    for name in own:
        others = [other for other in all_names if other != name]
        parts.append(
            C_FUNCTION.format(
                name=name,
                bit=random_.choice((1, 2, 4)),
                first=random_.choice(others),
                second=random_.choice(others),
                step=random_.randint(1, 3),
            )
        )
    return "\n".join(parts)


def main_text(random_: random.Random, seed: int, names: list[str]) -> str:
    calls = ""
    for name in random_.sample(names, min(len(names), 3)):
        left = random_.choice(("round", "round + 1", "40", "35 + round"))
        calls += f"      CALL(main, {name});\n      sum += {name}({left});\n"
        calls += "      NO_TAIL_CALL;\n"
    return MAIN.format(seed=seed, rounds=random_.randint(1, 20), calls=calls)


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    in_assembler = [f"jump{at}" for at in range(random_.randint(2, 9))]
    in_c = [f"tail{at}" for at in range(random_.randint(1, 5))]
    names = [*in_assembler, *in_c]
    nested = random_.random() < 0.5
    prototypes = "".join(f"OPAQUE long {name}(long left);\n" for name in in_c)
    prototypes += "".join(f"extern long {name}(long left);\n" for name in in_assembler)
    main = main_text(random_, seed, names)
    sources = {
        "main.c": "\n".join([C_HEAD, prototypes, c_text(random_, in_c, names), main]),
        "jumps.S": assembler_text(random_, in_assembler, names, nested),
    }
    # Where all is jumps, no call is open twice: no arc can cost more than everything.
    all_jumps = not nested and any(flag in variant.flags for flag in ("-O2", "-O3"))
    return Case(
        kind="tail_calls",
        seed=seed,
        sources=sources,
        functions=["main", *names],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        has_tail_calls=True,
        rules=Rules(
            bounded_arcs=all_jumps,
            uncounted_paths="loops of sibling calls are no paths",
            counts_flat_paths=True,
        ),
        description=variant.description + ("; nested calls" if nested else ""),
    )
