# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of suites have in common: a valgrind of a few lines writes what a file
# says that the suite "runs": a list of dumps, each with its process, its thread, its name
# and what its functions cost.

"""Run callgrind_gate on suites in tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Sequence, Union

from callgrind.report.tests.gate_case import GateCase

# `dumps` in the file are [process, thread, name or null, {function: cost}].  A name is a
# list of bytes.  It ends as `ends` says, and what it was given is in `seen`.
FAKE = f"""#!{sys.executable}
import json, os, sys
words = sys.argv[1:]
given = json.load(open("suite.json"))
if "--help" in words:
    print("  --tool=callgrind --call-tree=no|yes", given.get("knows", ""))
    sys.exit()
place = words.index("--")
options, command = words[:place], words[place + 1:]
with open("runs", "ab") as out:
    out.write(b".")
more = given.get("grows", 0) * os.path.getsize("runs")
json.dump({{"command": command, "options": options, "env": dict(os.environ)}},
          open("seen", "w"))
def of(name):
    return next((w.split("=", 1)[1] for w in options if w.startswith(name + "=")), "")
profiles, trees = of("--callgrind-out-file"), of("--call-tree-out-file")
for number, (process, thread, name, costs) in enumerate(given["dumps"], 1):
    path = profiles.replace("%p", str(process)) + "." + str(number)
    name = None if name is None else bytes(name)
    trigger = b"Program termination" if name is None else b"Client Request: " + name
    with open(path + (f"-{{thread:02}}" if thread else ""), "wb") as out:
        out.write(b"version: 1\\ncreator: fake 1\\npid: 1\\n")
        out.write(b"cmd: " + given.get("line", "fake").encode() + b"\\npart: 1\\n")
        if b"\\n" in trigger:
            escaped = trigger.replace(b"\\\\", b"\\\\\\\\").replace(b"\\n", b"\\\\x0a")
            out.write(b"desc: Trigger as given: " + escaped + b"\\n")
        flat = trigger.replace(b"\\n", b" ")
        out.write(b"desc: Trigger: " + flat + b"\\n\\npositions: line\\nevents: Ir\\n")
        out.write(b"fl=a.c\\nfn=none\\n1 0\\n")
        for function, cost in costs.items():
            out.write(f"fl=a.c\\nfn={{function}}\\n1 {{cost + more}}\\n".encode())
    if trees:
        with open(trees.replace("%p", str(process)), "ab") as out:
            out.write(b"callgrind-tree 1\\ncreator f\\ncosts counted\\n")
            out.write(f"event Ir count i\\npart {{number}}\\ntrigger x\\n".encode())
            out.write(f"process 1 1 0 x\\nthread 1 1 1 x\\n"
                      f"function 1 0 0 0 n{{number}}\\ntree 1\\n0 1 0 5\\n"
                      f"total 1 0 5\\nend 1 1 5\\n".encode())
            if given.get("ends", 0) < 0:
                out.write(b"callgrind-tree 1\\npart ")
print(given.get("says", ""))
if given.get("ends", 0) < 0:
    os.kill(os.getpid(), -given["ends"])
sys.exit(given.get("ends", 0))
"""

Name = Union[str, bytes, None]
Dump = tuple[int, int, Name, dict[str, int]]


class SuiteCase(GateCase):
    def setUp(self) -> None:
        super().setUp()
        self.valgrind.write_text(FAKE)

    def give(self, dumps: Sequence[Dump], **more: Any) -> None:
        rows = [
            [process, thread, self.packed(name), costs]
            for process, thread, name, costs in dumps
        ]
        Path("suite.json").write_text(json.dumps({"dumps": rows, **more}))

    @staticmethod
    def packed(name: Name) -> Any:
        if name is None:
            return None
        return list(name.encode() if isinstance(name, str) else name)

    def names(self, *names: Name, **more: Any) -> None:
        """Benchmarks that cost 100."""
        self.give([(7, 0, name, {"f": 100}) for name in names], **more)

    def measure(self, *options: str, status: int = 0, commit: str = "one") -> str:
        """What is said besides."""
        more = () if "--" in options else ("--", "pytest", "--codspeed", "tests/")
        found, _, errors = self.gate(
            "run", "--valgrind", str(self.valgrind), "--commit", commit,
            "--json=run.json", *options, *more
        )  # fmt: skip
        self.assertEqual(found, status, errors)
        self.check_json("run.json")
        return errors

    def measure_file(self, text: str, *options: str, status: int = 0) -> str:
        Path("gate.toml").write_text(text)
        found, _, errors = self.gate(
            "run", "--valgrind", str(self.valgrind), "--commit=one", "--json=run.json",
            *options
        )  # fmt: skip
        self.assertEqual(found, status, errors)
        self.check_json("run.json")
        return errors

    def totals(self, commit: str = "one", folder: str = "gate-run") -> dict[str, int]:
        run = self.stored(folder, commit)
        return {name: each.total.get("Ir", -1) for name, each in run.results.items()}

    def seen(self) -> Any:
        return json.loads(Path("seen").read_text())
