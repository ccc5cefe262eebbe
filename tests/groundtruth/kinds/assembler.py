# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes functions in assembler that count their calls, where no compiler can be made to
# use a certain jump.
#
# Owns: the ways to leave a function for another one.  The functions take a number, count
# it down, and return when it is used up; so they may go to each other in any order.  Each
# returns the number that is left.  The texts are those of the architecture that the
# programs are for: assembler_amd64.py, assembler_arm64.py.

"""Assembler functions that call and jump to each other."""

from __future__ import annotations

import importlib
import random
from typing import Protocol, Sequence, cast

from tests.groundtruth.architecture import target


class Dialect(Protocol):
    """What a module of texts has."""

    HEAD: str
    BEGIN: str
    END: str
    RETURN_WHEN_DONE: str
    CALL: str
    JUMP: str
    CONDITIONAL: str
    SENSES: Sequence[str]
    BY_TABLE: str
    TABLE_JUMPS: Sequence[str]
    BY_PUSH: str
    RUN_ON: str


def dialect() -> Dialect:
    module = importlib.import_module(f"tests.groundtruth.kinds.assembler_{target()}")
    return cast(Dialect, module)


def head() -> str:
    return dialect().HEAD


def return_when_done(step: int) -> str:
    return dialect().RETURN_WHEN_DONE.format(step=step)


def table(name: str, callees: Sequence[str]) -> str:
    rows = "".join(
        f"   .quad {callee}, ARC(fn_{name}, fn_{callee})\n" for callee in callees
    )
    return (
        f'   .section .data.rel.ro, "aw"\n   .p2align 4\n'
        f"table_{name}:\n{rows}   .text\n"
    )


def jump(
    random_: random.Random, name: str, others: Sequence[str], ways: Sequence[str]
) -> tuple[str, str]:
    """Leave `name` for one of the others: the code, and a table that it needs."""
    texts = dialect()
    way = random_.choice(list(ways))
    callee = random_.choice(list(others))
    if way == "table":
        count = random_.choice((2, 4))
        callees = [random_.choice(list(others)) for _ in range(count)]
        code = texts.BY_TABLE.format(
            name=name, mask=count - 1, jump=random_.choice(texts.TABLE_JUMPS)
        )
        return code, table(name, callees)
    if way == "push":
        return texts.BY_PUSH.format(name=name, callee=callee), ""
    code = ""
    if way == "conditional":
        code = texts.CONDITIONAL.format(
            name=name,
            callee=callee,
            bit=random_.choice((1, 2, 4, 8)),
            sense=random_.choice(texts.SENSES),
        )
    return code + texts.JUMP.format(name=name, callee=random_.choice(list(others))), ""


def call(random_: random.Random, name: str, callees: Sequence[str]) -> str:
    """A call with half of what is left, or less."""
    return dialect().CALL.format(
        name=name,
        callee=random_.choice(list(callees)),
        shift=random_.randint(1, 4),
    )


def function(name: str, body: str, following: str = "") -> str:
    """A whole function.  With `following`, it runs off its end into that one."""
    texts = dialect()
    end = ""
    if following:
        end = texts.RUN_ON.format(name=name, callee=following)
    return texts.BEGIN.format(name=name) + body + end + texts.END.format(name=name)
