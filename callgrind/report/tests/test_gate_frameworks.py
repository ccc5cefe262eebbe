# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: what it gives the frameworks of suites.

from __future__ import annotations

import sys
from pathlib import Path

from callgrind.report.tests.test_gate_suites import SuiteCase
from gate.frameworks import FRAMEWORKS, as_framework, framework_of
from gate.suites import Suite

# As gungraun: starts valgrind for each benchmark, which leaves its profile in a folder of
# the benchmark; logs and what an earlier run has left are there, too.
GUNGRAUN = f"""#!{sys.executable}
import os, subprocess
from pathlib import Path
place = Path(os.environ["GUNGRAUN_HOME"]) / "package" / "by_it" / "group"
for name, cost in ("parse.small", 30), ("sort", 50):
    folder = place / name
    folder.mkdir(parents=True)
    stem = folder / f"callgrind.{{name}}"
    for end in ".log", ".out.old":
        Path(f"{{stem}}{{end}}").write_text("is none")
    subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=*::mine",
                    f"--callgrind-out-file={{stem}}.out", "./bench", str(cost)],
                   check=True, env={{"PATH": os.environ["PATH"]}})
"""
TOOL = f"""#!{sys.executable}
import os, sys
words = sys.argv[1:]
if "--help" in words:
    print("  --tool=callgrind --call-tree=no|yes")
    sys.exit()
with open("asked", "a") as out:
    print(*words, file=out)
out, = (w.split("=", 1)[1] for w in words[-3:] if w.startswith("--callgrind-out-file="))
for thread in "", ".t2":
    with open(out + thread, "w") as stream:
        stream.write("version: 1\\ncreator: fake 1\\npid: %d\\ncmd: fake\\npart: 1\\n"
                     "desc: Trigger: Program termination\\n\\npositions: line\\n"
                     "events: Ir\\nfl=a.c\\nfn=f\\n1 %s\\n" % (os.getpid(), words[-1]))
"""


class StartsValgrind(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        self.valgrind.write_text(TOOL)
        Path("gungraun").write_text(GUNGRAUN)
        Path("gungraun").chmod(0o755)
        self.file = '[suites.rust]\nframework = "gungraun"\ncommand = "./gungraun"\n'

    def test_its_profiles_are_benchmarks_called_after_their_places(self) -> None:
        """All threads of one; neither logs nor what is old."""
        self.measure_file(self.file)
        self.assertEqual(self.totals(), {"rust/by_it::group::parse.small": 60,
                                         "rust/by_it::group::sort": 100})

    def test_the_options_of_the_gate_come_before_those_of_the_framework(self) -> None:
        self.measure_file(self.file, "--option=--cache-sim=yes")
        for line in Path("asked").read_text().splitlines():
            self.assertLess(line.index("--cache-sim=yes"), line.index("*::mine"))
            self.assertNotIn("--instr-atstart=no", line)

    def test_one_that_leaves_nothing_says_so(self) -> None:
        Path("gungraun").write_text("#!/bin/sh\n")
        errors = self.measure_file(self.file, status=2)
        self.assertIn("no benchmark in it has dumped its costs", errors)


class Presets(SuiteCase):
    def words_of(self, framework: str, command: str) -> list[str]:
        suite = Suite("it", command.split(), Path.cwd(), framework=framework)
        return as_framework(suite).command

    def test_which_framework_a_command_is_of(self) -> None:
        for command, name in (
            ("env/bin/python -m pytest -p callgrind_requests.pytest_benchmark",
             "pytest-benchmark"),
            ("pytest bench.py", "command"),
            ("uv run pytest --codspeed", "pytest-codspeed"),
            ("cargo codspeed run", "codspeed-rust"),
            ("npx vitest bench", "vitest"),
        ):  # fmt: skip
            with self.subTest(command=command):
                self.assertEqual(framework_of(command.split()).name, name)

    def test_benchmarks_of_go_run_once(self) -> None:
        self.assertEqual(self.words_of("", "go test -bench=."),
                         ["go", "test", "-bench=.", "-run=^$", "-benchtime=1x",
                          "-o=/dev/null"])
        self.assertEqual(self.words_of("", "go test -bench=. -run=Example")[3:],
                         ["-run=Example", "-benchtime=1x", "-o=/dev/null"])

    def test_a_program_of_go_has_flags_of_other_names(self) -> None:
        self.assertEqual(self.words_of("go", "./bench -test.bench=."),
                         ["./bench", "-test.bench=.", "-test.run=^$",
                          "-test.benchtime=1x"])

    def test_every_framework_is_on_the_page(self) -> None:
        page = Path(__file__).parents[3] / "docs" / "gate.md"
        for name in FRAMEWORKS:
            self.assertIn(f"`{name}`", page.read_text("utf-8"))


# As CodSpeed's plugin for node: tells its flags where it is asked, and ends.
NODE = f"""#!{sys.executable}
import json, os, sys
path = os.environ.get("__CODSPEED_NODE_CORE_INTROSPECTION_PATH__")
if path:
    with open(path, "w") as out:
        json.dump({{"flags": ["--no-opt", "--predictable"]}}, out)
"""


class FlagsOfNode(SuiteCase):
    def test_the_plugin_is_asked_for_them(self) -> None:
        Path("node").write_text(NODE)
        Path("node").chmod(0o755)
        self.names("parse")
        self.measure_file('[suites.js]\nframework = "tinybench"\n'
                          'command = "./node --no-opt bench.mjs"\n')
        self.assertEqual(self.seen()["command"],
                         ["./node", "--predictable", "--no-opt", "bench.mjs"])
