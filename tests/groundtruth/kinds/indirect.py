# SPDX-License-Identifier: GPL-2.0-or-later
"""Indirect calls: by tables of pointers, by changing pointers, by virtual methods.

In C, one call site reaches many functions, by a table in memory or by pointers that
change while the program runs.  In C++, virtual methods are called through either base of
classes with two: the second one's go through thunks that correct `this` and jump on.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case
from tests.groundtruth.kinds import web
from tests.groundtruth.kinds.writing import PRINTF

CHANGING = """\
static void change_pointers(long seed)
{{
   for (int i = 0; i < {count}; i++)
      changing[i] = constant[(unsigned long)(seed + i * 7) % {count}];
}}
"""


def c_program(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    names = [f"f{at}" for at in range(random_.randint(2, 10))]
    fuel = random_.randint(200, 1500)
    parts = [web.HEAD.format(fuel=fuel), web.prototypes(names)]
    parts.append("struct entry {\n   long (*call)(long, long);\n   int number;\n};\n")
    rows = "".join(f"   {{{name}, fn_{name}}},\n" for name in names)
    parts.append(f"static const struct entry constant[] = {{\n{rows}}};\n")
    parts.append(f"static struct entry changing[{len(names)}];\n")
    inline = "static inline __attribute__((always_inline)) void"
    parts.append(CHANGING.format(count=len(names)).replace("static void", inline))
    writers = [
        web.table_call(random_, "constant", len(names)),
        web.table_call(random_, "changing", len(names)),
        web.direct_call(random_, names),
    ]
    for name in names:
        extra = ["change_pointers(fuel);"] if random_.random() < 0.3 else []
        parts.append(web.function(random_, name, writers, extra=extra))
    main = web.main_text(
        random_.sample(names, 2), seed, random_.randint(1, 3), fuel, random_.randint(4, 9)
    )
    parts.append(main.replace("   long sum", "   change_pointers(0);\n   long sum", 1))
    return Case(
        kind="indirect",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *names],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        description=variant.description,
    )


CXX_HEAD = """\
#include <stdio.h>
#include "truth.h"

static long fuel = {fuel};

struct Left {{
   virtual long left(long a, long depth) = 0;
}};
struct Right {{
   long pad = 1;
   virtual long right(long a, long depth) = 0;
}};
"""

CXX_CLASS = """\
struct {name} : Left, Right {{
   int left_number = fn_{name}_left_long_long, right_number = fn_{name}_right_long_long;
   OPAQUE long left(long a, long depth) override;
   OPAQUE long right(long a, long depth) override;
}};
static {name} object_{name};
"""

# What a caller counts is the thunk's call too: the thunk cannot.
CXX_CALLS = {
    "left": (
        "int at = (int)((unsigned long)({value}) % {count}); "
        "CALL_NUMBER(fn_{caller}, lefts[at].number); "
        "sum += lefts[at].object->left({value}, depth - 1);"
    ),
    "right": (
        "int at = (int)((unsigned long)({value}) % {count}); "
        "CALL_NUMBER(fn_{caller}, rights[at].thunk); "
        "PASS_NUMBER(rights[at].thunk, rights[at].number); "
        "sum += rights[at].object->right({value}, depth - 1);"
    ),
}

CXX_METHOD = """\
long {cls}::{method}(long a, long depth)
{{
   ENTER({cls}_{method}_long_long);
   long sum = a + left_number - right_number;
{body}
   return sum & 0xffff;
}}
"""


def cxx_tables(classes: list[str]) -> str:
    lefts = "".join(
        f"   {{&object_{name}, fn_{name}_left_long_long}},\n" for name in classes
    )
    rights = "".join(
        f"   {{&object_{name}, fn_{name}_right_long_long, "
        f"fn_non_virtual_thunk_to_{name}_right_long_long}},\n"
        for name in classes
    )
    return (
        f"static const struct {{\n   Left* object;\n   int number;\n}} lefts[] = {{\n"
        f"{lefts}}};\nstatic const struct {{\n   Right* object;\n   int number, thunk;\n"
        f"}} rights[] = {{\n{rights}}};\n"
    )


def cxx_method(random_: random.Random, cls: str, method: str, count: int) -> str:
    def write(caller: str) -> str:
        return CXX_CALLS[random_.choice(("left", "right"))].format(
            caller=caller, count=count, value=web.value(random_)
        )

    lines: list[str] = []
    caller = f"{cls}_{method}_long_long"
    for _ in range(random_.randint(1, 4)):
        lines += web.statement(random_, caller, write)
    body = "\n".join(f"   {line}" for line in lines)
    return CXX_METHOD.format(cls=cls, method=method, body=body)


def cxx_program(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, language="c++")
    flags = ["-std=c++14"]
    if variant.is_gcc:
        # It would compare pointers and call the likeliest method itself.
        flags += ["-fno-devirtualize", "-fno-devirtualize-speculatively"]
    classes = [f"Class{at}" for at in range(random_.randint(2, 5))]
    fuel = random_.randint(200, 1500)
    parts = [CXX_HEAD.format(fuel=fuel)]
    parts += [CXX_CLASS.format(name=name) for name in classes]
    parts.append(cxx_tables(classes))
    functions = ["main"]
    for name in classes:
        for method in ("left", "right"):
            parts.append(cxx_method(random_, name, method, len(classes)))
            functions.append(f"{name}::{method}(long, long)")
        functions.append(f"non-virtual thunk to {name}::right(long, long)")
    depth = random_.randint(4, 9)
    parts.append(cxx_main(random_, seed, depth, fuel, len(classes)))
    return Case(
        kind="indirect",
        seed=seed,
        sources={"main.cpp": "\n".join(parts)},
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, *flags],
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        description=variant.description,
    )


def cxx_main(random_: random.Random, seed: int, depth: int, fuel: int, count: int) -> str:
    calls = [
        CXX_CALLS[way].format(caller="main", count=count, value="sum + round")
        for way in random_.sample(("left", "right"), 2)
    ]
    lines = "".join(f"      {{ {call} }}\n      NO_TAIL_CALL;\n" for call in calls)
    text = web.MAIN.format(
        start=seed, rounds=random_.randint(1, 3), fuel=fuel, calls=lines
    )
    return text.replace("   long sum", f"   long depth = {depth}, sum", 1)


def generate(random_: random.Random, seed: int) -> Case:
    if random_.random() < 0.6:
        return c_program(random_, seed)
    return cxx_program(random_, seed)
