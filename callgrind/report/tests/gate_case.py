# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of callgrind_gate have in common: the command run in a folder of its own,
# and a valgrind of a few lines, which "measures" what a benchmark's words say.

"""Run callgrind_gate in tests."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Mapping
from unittest import mock

from callgrind.report.tests.json_schema import faults
from callgrind_gate import main
from gate.run import Run
from gate.store import Store, opened

# Writes a profile of the words EVENT or FUNCTION=COST... behind `costs`; `fails` fails.
# It starts no process, as some tests run it hundreds of times.
FAKE_VALGRIND = r"""#!/bin/sh
# Sets `spaced` to the words of a list with commas.
space() { IFS=,; set -- $1; IFS=' '; spaced=$*; }
out= events=Ir
for word; do
   case $word in
      --help) echo "  --tool=callgrind"; exit 0 ;;
      --callgrind-out-file=*) out=${word#*=}; out=${out%/*}/$$ ;;
      --events=*) space "${word#*=}"; events=$spaced ;;
   esac
done
while [ "$1" != -- ]; do shift; done
case $2 in
   fails) echo "it went wrong" >&2; exit 7 ;;
   killed) kill -9 $$ ;;
   nothing) exit 0 ;;
esac
shift 2
{
   echo "version: 1"
   echo "creator: ${FAKE_CREATOR-fake 1}"
   echo "pid: $$"
   echo "cmd: fake"
   echo "desc: D1 cache: ${FAKE_CACHE-32768 B}"
   echo "desc: Trigger: Program termination"
   echo "events: $events"
   for word; do
      function=${word%=*} cost=${word##*=}
      echo "ob=/bin/${FAKE_OBJECT-fake}"
      echo "fl=/src/fake.c"
      echo "fn=$function"
      space "$cost"
      echo "1 $spaced"
   done
} > "$out"
"""

# With it, the variables FAKE_* say what the tool is, and what the object.
FAKE_ENV: dict[str, Any] = {"keep-env": ["FAKE_*"]}


class GateCase(unittest.TestCase):
    """Runs the command in a folder of its own, which is the current one."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        # No repository above the folder has a say, and no caller's wishes.
        changes = mock.patch.dict(
            os.environ, {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        )
        changes.start()
        self.addCleanup(changes.stop)
        os.environ.pop("GIT_DIR", None)
        self.valgrind = self.folder / "fake-valgrind"
        self.valgrind.write_text(FAKE_VALGRIND)
        self.valgrind.chmod(0o755)

    def gate(self, *arguments: str) -> tuple[int, str, str]:
        """The exit status, what was printed, and what was said."""
        with contextlib.redirect_stdout(io.StringIO()) as output:
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                try:
                    status = main(arguments)
                except SystemExit as left:
                    status = int(left.code or 0)
        return status, output.getvalue(), errors.getvalue()

    def run_fake(
        self,
        benchmarks: Mapping[str, str],
        *options: str,
        out: str = "gate-run",
        commit: str = "head",
        **table: Any,
    ) -> int:
        """Run benchmarks whose words are costs of functions; `table` has keys of the
        file, for all of them."""
        tables = {
            name: {"command": ["costs", *words.split()], **table}
            for name, words in benchmarks.items()
        }
        document = {"benchmarks": tables}
        Path("gate.json").write_text(json.dumps(document))
        status, _, _ = self.gate(
            "run", "-c", "gate.json", "-o", out, "--commit", commit,
            "--valgrind", str(self.valgrind), "--json=run.json", *options
        )  # fmt: skip
        self.check_json("run.json")
        return status

    def check_json(self, name: str) -> None:
        """What the command has written, if it has, is as the schema says."""
        if Path(name).exists():
            found = list(faults(json.loads(Path(name).read_text())))
            self.assertEqual(found, [])

    def stored(self, folder: str, commit: str) -> Run:
        """The run of a commit that is stored in a folder."""
        store = Store(folder)
        with opened([store]):
            return store.read(commit)

    def base_and_head(
        self, old: Mapping[str, str], new: Mapping[str, str], **table: Any
    ) -> None:
        """A baseline `base` with a run, and another run."""
        self.assertEqual(self.run_fake(old, commit="old", **table), 0)
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.assertEqual(self.run_fake(new, commit="new", **table), 0)

    def compared(self, *options: str, status: int = 0) -> Any:
        """The comparison with `base` as JSON."""
        found, _, errors = self.gate("compare", "base", "--json=found.json", *options)
        self.assertEqual((found, errors), (status, ""))
        self.check_json("found.json")
        return json.loads(Path("found.json").read_text())

    def states(self, *options: str, status: int = 0) -> dict[str, str]:
        found = self.compared(*options, status=status)
        self.assertEqual(found["status"], status)
        return {each["name"]: each["state"] for each in found["benchmarks"]}
