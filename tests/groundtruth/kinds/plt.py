# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls between an executable and its libraries, by every kind of linkage.

A call tree is spread over an executable and up to three libraries, which call each other
both ways: lazily bound, bound at start, by `.plt.sec` (-fcf-protection; arm64: by a PLT
that marks where branches end, and signs), without a PLT (-fno-plt), by pointers to
imported functions (whose address may be a PLT entry), and through functions that are
chosen at run time (ifunc).
"""

from __future__ import annotations

import random
from typing import Sequence

from tests.groundtruth import variants
from tests.groundtruth.architecture import PROTECTED_PLT, PROTECTION
from tests.groundtruth.case import Case, Library
from tests.groundtruth.kinds.writing import (
    Function,
    HEAD,
    PRINTF,
    SIGNATURES,
    Tree,
    call_text,
    main_text,
)

# Compiler flags, linker flags, environment.
LINKAGES: Sequence[tuple[str, list[str], list[str], dict[str, str]]] = (
    ("lazy", [], ["-Wl,-z,lazy"], {}),
    ("now", [], ["-Wl,-z,now"], {}),
    ("bound at start", [], ["-Wl,-z,lazy"], {"LD_BIND_NOW": "1"}),
    ("never bound", [], ["-Wl,-z,lazy"], {"LD_BIND_NOT": "1"}),
    ("plt.sec", [PROTECTION], ["-Wl,-z,lazy", *PROTECTED_PLT], {}),
    ("plt.sec now", [PROTECTION], ["-Wl,-z,now", *PROTECTED_PLT], {}),
    ("no plt", ["-fno-plt"], ["-Wl,-z,lazy"], {}),
    ("no plt now", ["-fno-plt"], ["-Wl,-z,now"], {}),
)

# Called by its name or by a pointer, `chosen` is the implementation: the name of the
# function that runs is the implementation's.
IFUNC = """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   return a * 5 + 1;
}}

static long (*resolve_{name}(void))(long)
{{
   return {name};
}}

long chosen_{name}(long a) __attribute__((ifunc("resolve_{name}")));
"""

BY_POINTER = """\
   {{
      long (*volatile pointer)(long) = {target};
      CALL({caller}, {callee});
      sum += pointer(a + {number});
   }}"""
BY_NAME = "   CALL({caller}, {callee});\n   sum += {target}(a + {number});"


def extra_calls(
    random_: random.Random, tree: Tree, implementations: Sequence[str]
) -> None:
    """Add calls by pointers and of chosen functions to the tree's functions."""
    for at, function in enumerate(tree.functions):
        targets = [(f"chosen_{name}", name) for name in implementations]
        targets += [
            (later.name, later.name)
            for later in tree.functions[at + 1 :]
            if later.signature is SIGNATURES["one"] and not later_calls(later)
        ]
        for target, callee in random_.sample(targets, min(2, len(targets))):
            form = random_.choice((BY_POINTER, BY_NAME))
            call = form.format(
                target=target, caller=function.name, callee=callee, number=at
            )
            function.lines.insert(2, call.lstrip())


def later_calls(function: Function) -> bool:
    return any("CALL(" in line for line in function.lines)


def spread(random_: random.Random, tree: Tree, libraries: int) -> list[list[Function]]:
    """Functions by place: the executable comes first, every library has one at least."""
    places: list[list[Function]] = [[] for _ in range(libraries + 1)]
    for at, function in enumerate(tree.functions):
        place = at + 1 if at < libraries else random_.randrange(libraries + 1)
        places[place].append(function)
    return places


def place_text(functions: Sequence[Function]) -> str:
    parts = [f'{HEAD}#include "tree.h"\n']
    parts += [function.text for function in functions]
    return "\n".join(parts)


def make_libraries(
    random_: random.Random,
    places: Sequence[Sequence[Function]],
    implementations: Sequence[str],
    link_flags: Sequence[str],
) -> list[Library]:
    # Chosen functions lie in a library that the others are linked to: the dynamic linker
    # must relocate it first.
    text = HEAD + "\n".join(IFUNC.format(name=name) for name in implementations)
    libraries = [Library("chosen", {"chosen.c": text}, link_flags=list(link_flags))]
    for at, functions in enumerate(places):
        flags = random_.choice(("", "", "-Wl,-Bsymbolic", "-Wl,-Bsymbolic-functions"))
        libraries.append(
            Library(
                f"part{at}",
                {f"part{at}.c": place_text(functions)},
                link_flags=[*link_flags, *flags.split()],
                links=["chosen"],
            )
        )
    return libraries


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, may_be_static=False, binding=False)
    name, flags, link_flags, environment = random_.choice(LINKAGES)
    count = random_.randint(1, 3)
    tree = Tree(random_, random_.randint(count + 2, 16), 2000, list(SIGNATURES))
    rounds = random_.randint(1, 4)
    tree.write(rounds)
    implementations = [f"impl{at}" for at in range(random_.randint(0, 2))]
    extra_calls(random_, tree, implementations)
    places = spread(random_, tree, count)
    chosen = "".join(f"long chosen_{one}(long a);\n" for one in implementations)
    main = main_text([call_text("main", tree.functions[0], "round")], seed, rounds)
    return Case(
        kind="plt",
        seed=seed,
        sources={
            "main.c": f"{place_text(places[0])}\n{main}",
            "tree.h": tree.prototypes + chosen,
        },
        functions=["main", *tree.names, *implementations],
        compiler=variant.compiler,
        flags=[*variant.flags, *flags],
        link_flags=[*variant.link_flags, *link_flags],
        libraries=make_libraries(random_, places[1:], implementations, link_flags),
        outside=dict(PRINTF),
        environment=environment,
        description=f"{variant.description}; {name}, {count} libraries, "
        f"{len(implementations)} ifuncs",
    )
