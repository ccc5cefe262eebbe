# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes C functions that may call each other in any order, themselves included.
#
# Owns: what bounds such a program.  Each call takes one unit of fuel and one level of
# depth; where either is used up, nothing is called.  So the graph may have any cycles.

"""Random C functions that call each other without an order."""

from __future__ import annotations

import random
from typing import Callable, Sequence

HEAD = """\
#include <stdio.h>
#include "truth.h"

static long fuel = {fuel};
"""

FUNCTION = """\
OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   long sum = a & 0xfff;
{body}
   return {result};
}}
"""

# A call is left out when nothing is left for it.
GUARDED = "if (depth > 0 && fuel > 0) {{ fuel--; {call} }}"
CALL = "CALL({caller}, {callee}); sum += {callee}({value}, depth - 1);"
CALL_NUMBER = (
    "int at = (int)((unsigned long)({index}) % {count}); "
    "CALL_NUMBER(fn_{caller}, {table}[at].number); "
    "sum += {table}[at].call({value}, depth - 1);"
)

VALUES = ("a + {}", "sum ^ {}", "sum + a - {}", "a * 2 + {}", "{}")
ARITHMETIC = (
    "sum = sum * 33 + a;",
    "sum ^= sum >> 3;",
    "for (int i = 0; i < 5; i++) sum += i ^ a;",
)

# Writes a call, given the caller's name.
CallWriter = Callable[[str], str]


def value(random_: random.Random) -> str:
    return random_.choice(VALUES).format(random_.randint(0, 99))


def guarded(call: str) -> str:
    return GUARDED.format(call=call)


def direct_call(random_: random.Random, callees: Sequence[str]) -> CallWriter:
    def write(caller: str) -> str:
        callee = random_.choice(list(callees))
        return CALL.format(caller=caller, callee=callee, value=value(random_))

    return write


def table_call(random_: random.Random, table: str, count: int) -> CallWriter:
    """A call by a table of pairs of a function and its number."""

    def write(caller: str) -> str:
        return CALL_NUMBER.format(
            caller=caller,
            table=table,
            count=count,
            index=random_.choice(("sum", "a", "depth + a", "fuel", "fuel / 3")),
            value=value(random_),
        )

    return write


def table(name: str, functions: Sequence[str], qualifier: str = "static const") -> str:
    """A table for table_call(); functions must have been declared."""
    rows = "".join(f"   {{{function}, fn_{function}}},\n" for function in functions)
    return (
        f"{qualifier} struct {{\n   long (*call)(long, long);\n   int number;\n"
        f"}} {name}[] = {{\n{rows}}};\n"
    )


def prototypes(names: Sequence[str]) -> str:
    return "".join(f"OPAQUE long {name}(long a, long depth);\n" for name in names)


def statement(random_: random.Random, caller: str, write: CallWriter) -> list[str]:
    """One or more calls in a loop, a branch, or as they are; never the last thing."""
    shape = random_.choice(("call", "call", "loop", "branch", "arithmetic"))
    if shape == "arithmetic":
        return [random_.choice(ARITHMETIC)]
    lines = [f"{guarded(write(caller))} NO_TAIL_CALL;"]
    if shape == "loop":
        return [f"for (int i = 0; i < {random_.randint(2, 4)}; i++) {{", *lines, "}"]
    if shape == "branch":
        other = f"{guarded(write(caller))} NO_TAIL_CALL;"
        bit = random_.choice((1, 2, 4))
        return [f"if (sum & {bit}) {{", *lines, "} else {", other, "}"]
    return lines


def function(
    random_: random.Random,
    name: str,
    writers: Sequence[CallWriter],
    most_statements: int = 4,
    extra: Sequence[str] = (),
) -> str:
    """The text of one function, whose calls are written by any of the writers."""
    lines = list(extra)
    for _ in range(random_.randint(1, most_statements)):
        lines += statement(random_, name, random_.choice(list(writers)))
    body = "\n".join(f"   {line}" for line in lines)
    return FUNCTION.format(name=name, body=body, result="sum & 0xffff")


MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = {start};
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
{calls}   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""


def main_text(
    starts: Sequence[str], start: int, rounds: int, fuel: int, depth: int
) -> str:
    """A main that enters each of the given functions, with full fuel in each round."""
    calls = "".join(
        f"      CALL(main, {name}); sum += {name}(sum + round, {depth}); NO_TAIL_CALL;\n"
        for name in starts
    )
    return MAIN.format(start=start, rounds=rounds, fuel=fuel, calls=calls)
