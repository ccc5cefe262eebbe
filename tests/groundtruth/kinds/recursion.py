# SPDX-License-Identifier: GPL-2.0-or-later
"""Recursion, direct and mutual, with one to five levels kept apart.

Functions call themselves and each other in any order, to a depth of up to a few hundred,
with sibling calls among the mutual ones.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case
from tests.groundtruth.kinds import web
from tests.groundtruth.kinds.writing import PRINTF

# A call as the last thing: the compiler may jump.  Not of the function itself, which
# compilers turn into a loop that calls nothing.
SIBLING = (
    "if (depth > 0 && fuel > 0 && (sum & {bit})) {{ fuel--; CALL({name}, {callee}); "
    "return {callee}({value}, depth - 1); }}"
)


def recursive_function(random_: random.Random, name: str, names: list[str]) -> str:
    others = [other for other in names if other != name]
    writers = [
        web.direct_call(random_, [name]),
        web.direct_call(random_, names),
        web.table_call(random_, "table", len(names)),
    ]
    text = web.function(random_, name, writers, most_statements=3)
    if not others or random_.random() < 0.5:
        return text
    sibling = SIBLING.format(
        bit=random_.choice((1, 2, 4)),
        name=name,
        callee=random_.choice(others),
        value=web.value(random_),
    )
    return text.replace("   return sum &", f"   {sibling}\n   return sum &")


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    names = [f"r{at}" for at in range(random_.randint(1, 6))]
    fuel = random_.randint(300, 3000)
    parts = [web.HEAD.format(fuel=fuel), web.prototypes(names), web.table("table", names)]
    parts += [recursive_function(random_, name, names) for name in names]
    depth = random_.choice((3, 10, 50, 400))
    parts.append(web.main_text([names[0]], seed, random_.randint(1, 3), fuel, depth))
    levels = random_.choice((1, 2, 2, 3, 5))
    return Case(
        kind="recursion",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *names],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        options=[f"--separate-recs={levels}"],
        description=f"{variant.description}; --separate-recs={levels}",
    )
