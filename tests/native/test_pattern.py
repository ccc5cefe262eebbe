# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/base/pattern.c: it says what the core's matcher says, and takes names of
# any length.  Relies on binutils' ar for the core's matcher.

"""Patterns for names: against their meaning, the core, and long names."""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path
from typing import Optional

from tests.native.building import BUILD, HERE, SOURCE, build_of

N_RANDOM = 200_000
LONG = 2_000_000  # the core's takes no million
LONG_PATTERN = 100_000  # the longest argument is 128 KiB
SOURCES = (
    *(HERE / f"{name}.c" for name in ("match_patterns", "fake_core", "faults")),
    SOURCE / "callgrind/base/pattern.c",
)


@lru_cache(maxsize=None)
def core_matcher() -> Optional[Path]:
    """The core's matcher as it is installed, without the rest of the core."""
    makefile = (BUILD / "Makefile").read_text(encoding="utf-8")
    values = dict(re.findall(r"^(CORE_LIBDIR|CORE_PLATFORM) = (.*)$", makefile, re.M))
    library = Path(shlex.split(values["CORE_LIBDIR"])[0])
    library /= f"libcoregrind-{values['CORE_PLATFORM']}.a"
    listed = subprocess.run(["ar", "t", library], capture_output=True, text=True,
                            check=False).stdout
    found = re.search(r"^\S*m_seqmatch\.o$", listed, re.M)
    if found is None:
        return None
    kept = BUILD / "tests" / "native"
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / found[0]
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=kept, delete=False) as file:
            subprocess.run(["ar", "p", library, found[0]], stdout=file, check=True)
        Path(file.name).replace(path)
    return path


class Pattern(unittest.TestCase):
    def counts(self, program: str, *words: object) -> tuple[int, int]:
        """How many texts matched, and how many did not."""
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counted = re.fullmatch(r"(\d+) matched, (\d+) not\n", done.stdout)
        assert counted, done.stdout
        return int(counted[1]), int(counted[2])

    def compare(self, program: str) -> None:
        for seed in range(3):
            self.assertGreater(min(self.counts(program, "random", seed, N_RANDOM)), 9000)

    def test_it_says_what_the_documents_say(self) -> None:
        self.compare(build_of("match_patterns", *SOURCES))

    def test_it_says_what_the_core_says(self) -> None:
        matcher = core_matcher()
        if matcher is None:
            self.skipTest("the core's library has no m_seqmatch.o, or ar is missing")
        self.compare(build_of("match_patterns_core", *SOURCES, matcher,
                              flags=("-DWITH_CORE",)))

    def test_long_names(self) -> None:
        """Each is read a few times: by another way this would take days."""
        program = build_of("match_patterns", *SOURCES)
        for pattern, matches in (
            ("*a*z", True), ("*a*y", False), ("a*b", False), ("?*z", True),
            ("*" * 1000 + "z", True), ("*a" * 1000 + "*z", True),
            ("*a?a" * 500 + "*y", False), ("*b*", False), ("*" + "a" * 50 + "z", True),
            ("*" + "a" * 50 + "b*", False), ("a" * LONG_PATTERN + "*", True),
            ("*" + "a" * LONG_PATTERN + "z", True),
        ):
            with self.subTest(pattern[:10]):
                self.assertEqual(
                    self.counts(program, "repeat", pattern, "a", LONG),
                    (int(matches), int(not matches)),
                )


if __name__ == "__main__":
    unittest.main()
