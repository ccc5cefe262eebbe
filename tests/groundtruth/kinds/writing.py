# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes C functions that call each other and count it: what most kinds begin with.
#
# Owns: the signatures that functions may have, the statements that may surround a call,
# and the bound on how many calls a program makes.  A tree of functions f0, f1, ... is
# written such that each calls later ones only; so it ends, and the number of activations
# of each is known before its own calls are drawn.

"""Random C functions whose calls are counted."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Optional, Sequence

HEAD = """\
#include <stdio.h>
#include "truth.h"

struct wide {
   long v[3];
};
"""


@dataclass(frozen=True)
class Signature:
    """How a function is declared, called (adding to `sum`), begun and left."""

    declaration: str
    call: str
    begin: str
    leave: str
    tail: str = ""  # a call as the last thing, by a caller of the same signature


SIGNATURES = {
    "one": Signature(
        "long {name}(long a)",
        "sum += {name}({value});",
        "long sum = a;",
        "return sum & 0xffff;",
        "return {name}({value});",
    ),
    "many": Signature(
        "long {name}(long a, long b, long c, long d, long e, long f, long g, long h)",
        "sum += {name}({value}, 1, 2, 3, 4, 5, 6, sum);",
        "long sum = a + b + c + d + e + f + g - h;",
        "return sum & 0xffff;",
        "return {name}({value}, b, c, d, e, f, g, sum);",
    ),
    "floating": Signature(
        "double {name}(double x)",
        "sum += (long){name}((double)(({value}) & 0xffff));",
        "long a = (long)x, sum = a + 1;",
        "return (double)(sum & 0xffff);",
        "return {name}((double)(({value}) & 0xffff));",
    ),
    "wide": Signature(
        "struct wide {name}(struct wide w)",
        "sum += {name}((struct wide){{{{{value}, sum, 3}}}}).v[1];",
        "long a = w.v[0], sum = w.v[1] ^ w.v[2];",
        "return (struct wide){{{{a, sum & 0xffff, 1}}}};",
        "return {name}((struct wide){{{{{value}, sum, 3}}}});",
    ),
    "pointer": Signature(
        "void {name}(long a, long* result)",
        "{name}({value}, &sum);",
        "long sum = a ^ *result;",
        "*result = sum & 0xffff;",
        "{name}({value}, result);",
    ),
}
PLAIN_SIGNATURE = "one"

# What main_text() calls; the compiler may choose another function for it.
PRINTF = {"printf": ["printf", "__printf_chk"]}


@dataclass
class Function:
    """One function of a tree, and how often it may be entered."""

    name: str
    signature: Signature
    activations: int = 0
    lines: list[str] = field(default_factory=list)
    is_static: bool = False
    attributes: str = "OPAQUE"

    @property
    def prototype(self) -> str:
        static = "static " if self.is_static else ""
        declaration = self.signature.declaration.format(name=self.name)
        return f"{static}{self.attributes} {declaration}"

    @property
    def text(self) -> str:
        body = "\n".join(f"   {line}" for line in self.lines)
        return f"{self.prototype}\n{{\n{body}\n}}\n"


def call_text(caller: str, callee: Function, value: str) -> str:
    """A counted call, whose result goes into the caller's `sum`."""
    statement = callee.signature.call.format(name=callee.name, value=value)
    return f"CALL({caller}, {callee.name}); {statement}"


class Tree:
    """Functions that call later ones, with at most so many calls in all."""

    def __init__(
        self,
        random_: random.Random,
        count: int,
        most_calls: int = 3000,
        signatures: Sequence[str] = (PLAIN_SIGNATURE,),
        stem: str = "f",
    ) -> None:
        self.random = random_
        self.most_calls = most_calls
        self.functions = [
            Function(f"{stem}{at}", SIGNATURES[random_.choice(list(signatures))])
            for at in range(count)
        ]

    @property
    def names(self) -> list[str]:
        return [function.name for function in self.functions]

    @property
    def prototypes(self) -> str:
        return "".join(f"{function.prototype};\n" for function in self.functions)

    @property
    def text(self) -> str:
        return "\n".join(function.text for function in self.functions)

    def write(self, entered: int = 1) -> None:
        """Draw all bodies; the first function is entered so many times from outside."""
        self.functions[0].activations = entered
        for at, function in enumerate(self.functions):
            function.lines = self._body(at, function)

    def _body(self, at: int, function: Function) -> list[str]:
        later = self.functions[at + 1 :]
        lines = [f"ENTER({function.name});", function.signature.begin.format()]
        if later and not function.activations:
            function.activations = 1  # never called; its calls cost nothing
        for _ in range(self.random.randint(1, 4) if later else 0):
            lines += self._statement(function, later)
        if not later or self.random.random() < 0.5:
            lines.append(self._arithmetic())
        return lines + self._end(function, later)

    def _end(self, function: Function, later: list[Function]) -> list[str]:
        alike = [one for one in later if one.signature is function.signature]
        if alike and self.random.random() < 0.3:
            callee = self.random.choice(alike[:4])
            if self._take(function, callee, 1):
                call = callee.signature.tail.format(name=callee.name, value=self._value())
                return [f"CALL({function.name}, {callee.name}); {call}"]
        return [function.signature.leave.format()]

    def _value(self) -> str:
        forms = ("a + {}", "sum ^ {}", "sum + a - {}", "a * 2 + {}", "{}")
        return self.random.choice(forms).format(self.random.randint(0, 99))

    def _arithmetic(self) -> str:
        forms = (
            "sum = sum * 33 + a;",
            "sum ^= sum >> 3;",
            "for (int i = 0; i < 5; i++) sum += i ^ a;",
        )
        return self.random.choice(forms)

    def _take(self, caller: Function, callee: Function, times: int) -> bool:
        """Reckon with calls, unless they would be too many."""
        more = caller.activations * times
        if sum(one.activations for one in self.functions) + more > self.most_calls:
            return False
        callee.activations += more
        return True

    def _call(
        self, caller: Function, later: list[Function], times: int = 1
    ) -> Optional[str]:
        near = later[:5] if self.random.random() < 0.8 else later
        callee = self.random.choice(near)
        if not self._take(caller, callee, times):
            return None
        return call_text(caller.name, callee, self._value())

    def _statement(self, caller: Function, later: list[Function]) -> list[str]:
        shape = self.random.choice(("call", "loop", "branch", "switch", "nested"))
        times = self.random.randint(2, 6)
        if shape == "nested":
            times *= 2
        wanted = {"branch": 2, "switch": 3}.get(shape, 1)
        repeats = times if shape in ("loop", "nested") else 1
        calls = [
            text
            for _ in range(wanted)
            if (text := self._call(caller, later, repeats)) is not None
        ]
        if len(calls) < wanted:
            return calls + [self._arithmetic()]
        return self._surround(shape, times, calls)

    def _surround(self, shape: str, times: int, calls: list[str]) -> list[str]:
        if shape == "loop":
            return [f"for (int i = 0; i < {times}; i++) {{ {calls[0]} }}"]
        if shape == "nested":
            return [
                f"for (int i = 0; i < {times // 2}; i++)",
                f"   for (int j = 0; j < 2; j++) {{ {calls[0]} }}",
            ]
        if shape == "branch":
            bit = self.random.choice((1, 2, 4))
            return [f"if (sum & {bit}) {{ {calls[0]} }}", f"else {{ {calls[1]} }}"]
        if shape == "switch":
            lines = ["switch ((unsigned long)sum % 4) {"]
            lines += [f"case {at}: {text} break;" for at, text in enumerate(calls)]
            return [*lines, "default: sum++; }"]
        return calls


MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = {start};
   for (int round = 0; round < {rounds}; round++) {{
      long a = round;
      (void)a;
{calls}
   }}
   NO_TAIL_CALL;
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""


def main_text(calls: Sequence[str], start: int = 1, rounds: int = 1) -> str:
    """A main that makes the given (counted) calls and prints what came of them."""
    lines = "\n".join(f"      {call}" for call in calls)
    return MAIN.format(start=start, rounds=rounds, calls=lines)
