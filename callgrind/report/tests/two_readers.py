# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads profiles twice: by read_profile, the program in C, and by Python alone, which is
# the oracle.  What comes of it must be equal to the last figure, the order of all things
# and each message included.
#
# Owns: what "equal" means, and the mutations that are made of profiles.

"""Compare the two readers of profiles."""

from __future__ import annotations

import random
import re
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Optional
from unittest import mock

from profile_file import native
from profile_file.model import FunctionKey, FunctionProfile, Profile, add_vector
from profile_file.reader import Detail, ProfileError, read_profile

DETAILS = (Detail.FUNCTIONS, Detail.LINES)

NUMBER = re.compile(rb"[0-9]+")
# Words that mean something somewhere, and some that do not.
WORDS = (
    b"*", b"+1", b"-3", b"0x1f", b"0X", b"+", b"-", b"12", b"00", b"-0", b"*5", b"+-1",
    b"999999999999999999", b"1000000000000000000", b"9223372036854775807",
    b"18446744073709551616", b"340282366920938463463374607431768211456", b"1e3", b"1_0",
    b"\xb2", b"\xc3\xa0", b"\xa0", b"\x1c", b"\x0b", b"\r", b"\t", b"  ", b"(1)",
    b"(2) x", b"(01)", b"(1x) y", b"(0)", b"()", b"(99999999999)", b"???", b'"???"',
    b'"(1)"', b"=", b":", b"#",
)  # fmt: skip
LINES = (
    b"", b"\n", b"# comment", b"# defined in: /src/defined.c", b"fn=(1)", b"fn=new",
    b"fn=", b"fn=(7) seventh", b"fl=(1)", b"fl=other.c", b"fi=(2) inlined.h", b"fe=(1)",
    b"ob=(1)", b"ob=lib.so", b"cfni=leaf", b"cfni=???", b'cfni="(1)"', b"cfn=(1)",
    b"cfn=callee", b"cfi=(1)", b"cfl=(2)", b"cob=(1)", b"calls=1 5", b"calls=2 +3 *",
    b"calls=3", b"calls=0x2 *", b"jump=3 +2", b"jcnd=3/5 -1", b"jcnd=5 3 7", b"jfi=(1)",
    b"jfn=(1)", b"5 7", b"+1 3", b"* 4", b"-1 2 3", b"0x10 6 7", b"3", b"+2 -5",
    b"summary: 5", b"event: Ir : Instructions", b"events: Ir Dr", b"events:",
    b"positions: line", b"positions: instr line", b"positions: none", b"totals: 5",
    b"totals:", b"part: 2", b"pid: 3", b"cmd: again", b"desc: Trigger: end",
    b"desc: Note: x", b"more of it", b"version: 9", b"version: 1", b"creator: xdebug 3",
    b"creator: callgrind-3.19.0", b"thread: 2", b"rank: 1", b"junk", b"\0",
    b"\xef\xbb\xbf", b"\xc3\xa0\xa0",
)  # fmt: skip


def all_of(profile: Profile) -> list[Any]:
    """Everything that a profile has, in its order."""
    return [
        (part.header, part.sum_of_self_costs(), [
            (key, function.key, function.self_cost,
             [(place, list(costs.items())) for place, costs in function.sources.items()],
             list(function.arcs.items()), list(function.jumps.items()),
             *asked(function, len(part.header.events)))
            for key, function in part.functions.items()
        ])
        for part in profile.parts
    ]  # fmt: skip


def asked(function: FunctionProfile, events: int) -> list[Any]:
    """What is answered without making all of the above."""
    places = range(events)[::-1]
    # Calls that have one callee only by its definition may come one by one.
    calls: dict[FunctionKey, list[int]] = {}
    found = function.calls(places)
    for place, (callee, count) in enumerate(zip(found.callees, found.counts)):
        cost = found.costs[place * events : (place + 1) * events]
        add_vector(calls.setdefault(callee, [0] * (events + 1)), [count, *cost])
    files = {source.file for source in function.sources}
    some = set(sorted(files)[1:])
    return [list(calls.items()), list(function.source_sums(places)),
            list(function.lines()), list(function.lines_in(some)),
            function.calling_files(), function.has_cost_below_zero()]


@contextmanager
def read_by(program: Optional[str]) -> Iterator[None]:
    """Files of any size, by a program or, with None, in Python."""
    with mock.patch.object(native, "FROM_BYTES", 0):
        native.use_program(program)
        try:
            yield
        finally:
            native.use_program(None)


def outcome(path: Path, detail: Detail, as_defined: bool) -> Any:
    try:
        return all_of(read_profile(path, detail, as_defined=as_defined))
    except ProfileError as error:
        return str(error)


def is_read_natively(program: str, path: Path, detail: Detail) -> bool:
    with read_by(program):
        return native.read_natively(path, detail is Detail.LINES, None) is not None


def difference(program: str, path: Path, detail: Detail, as_defined: bool = True) -> str:
    """What differs; empty if nothing does."""
    with read_by(program):
        found = outcome(path, detail, as_defined)
    with read_by(None):
        expected = outcome(path, detail, as_defined)
    if found == expected:
        return ""
    return f"{path}, {detail.name}:\n{found}\nin Python:\n{expected}"


# --- Mutations --------------------------------------------------------------------------


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """A profile with one to four changes; most of what is left is as it was."""
    lines = content.split(b"\n")
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(lines))
        change = chance.randrange(9)
        if change == 0:
            del lines[place]
        elif change == 1:
            lines.insert(place, chance.choice(LINES))
        elif change == 2:
            lines[place] = chance.choice(LINES)
        elif change == 3:
            lines.insert(place, lines[chance.randrange(len(lines))])
        elif change == 4:
            words = lines[place].split(b" ")
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            lines[place] = b" ".join(words)
        elif change == 5:
            lines[place] += b" " + chance.choice(WORDS)
        elif change == 6:
            number = str(chance.randrange(1 << chance.choice((4, 20, 63, 70)))).encode()
            lines[place] = NUMBER.sub(number, lines[place], count=1)
        elif change == 7:
            lines[place:] = chance.choice(others).split(b"\n")[-chance.randrange(40):]
        else:
            del lines[place + chance.randrange(1, 40):]
        lines = lines or [b""]
    content = b"\n".join(lines)
    if chance.random() < 0.1 and content:  # a byte
        at = chance.randrange(len(content))
        content = content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    return content


class Examples:
    """Profiles to begin with, and what is made of them."""

    def __init__(self, contents: list[bytes], program: str, folder: Path) -> None:
        self._contents = contents
        self._program = program
        self.path = folder / "mutated"
        self.read_natively = 0

    def check(self, seed: int) -> str:
        """As difference(), of the mutation with this number; the file is left in the
        folder."""
        chance = random.Random(seed)
        content = mutated(chance.choice(self._contents), self._contents, chance)
        self.path.write_bytes(content)
        detail = chance.choice(DETAILS)
        self.read_natively += is_read_natively(self._program, self.path, detail)
        found = difference(self._program, self.path, detail, chance.random() < 0.8)
        return f"seed {seed}: {found}" if found else ""
