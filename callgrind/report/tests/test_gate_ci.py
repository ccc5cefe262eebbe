# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands of docs/ci.md, run as they stand there: on a main branch, on a branch
# without and with a regression, in shards.  The benchmark is measured by our valgrind.

from __future__ import annotations

import os
import re
import subprocess
import unittest
from pathlib import Path

from tests.build.action_steps import read_action
from tests.build.built import BUILD, IN_PLACE, SOURCE, BuildTest, run
from tests.go_tool import GO, VARIABLES, go_with_pprof

PAGE = (SOURCE / "docs" / "ci.md").read_text("utf-8")
PROGRAM = """
#include <stdlib.h>
__attribute__((noinline)) static int work(int n)
{
   volatile int sum = 0;
   for (int i = 0; i < n; i++)
      sum += i;
   return sum;
}
int main(void) { work(20000); return 0; }
"""


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def scripts(title: str) -> list[str]:
    """The blocks of shell in a section."""
    return re.findall(r"```sh\n(.*?)```", section(title), re.DOTALL)


def steps(title: str) -> list[str]:
    """The commands of a block of YAML: GitHub's `run:`, GitLab's items of `script:`."""
    # The last: before it stands what has no commands of ours.
    block = re.findall(r"```yaml\n(.*?)```", section(title), re.DOTALL)[-1]
    found = re.findall(r"^ *(?:- )?run: (.*)$", block, re.M)
    if "\n  script:" in block:
        found += re.findall(r"^    - (.*)$", block.split("\n  script:")[1], re.M)
    return found


class Ci(BuildTest):
    """A project with a benchmark, and the commands in PATH."""

    def setUp(self) -> None:
        super().setUp()
        commands = self.folder / "commands"
        commands.mkdir()
        for name in ("callgrind_gate", "callgrind_export"):
            (commands / name).symlink_to(BUILD / name)
        (commands / "valgrind").symlink_to(IN_PLACE)
        self.project = self.folder / "project"
        self.project.mkdir()
        self.variables = {
            "PATH": f"{commands}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "CI_DEFAULT_BRANCH": "main",
            "PAGES_URL": "https://pages.example/x",
        }
        self.write("gate.toml", '[benchmarks.work]\ncommand = "./bench"\n')
        self.write(".gitignore", "bench\nbaseline\n")
        self.git("init", "-q", "-b", "main")
        self.commit(1)

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text)

    def git(self, *words: str) -> None:
        ended = run("git", "-c", "user.name=n", "-c", "user.email=e", *words,
                    cwd=self.project, env={**os.environ, **self.variables})  # fmt: skip
        self.assert_ended(ended, 0)

    def commit(self, factor: int) -> None:
        """A commit whose benchmark does so many times the work."""
        self.write("bench.c", PROGRAM.replace("20000", str(factor * 20000)))
        done = ["gcc", "-g", "-O1", "-o", "bench", "bench.c"]
        subprocess.run(done, cwd=self.project, check=True)
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", f"work {factor}")

    def shell(self, script: str, status: int = 0, **variables: str) -> str:
        env = {**os.environ, **self.variables, **variables}
        ended = run("sh", "-eu", "-c", script, cwd=self.project, env=env)
        self.assert_ended(ended, status)
        return ended.out

    def test_a_plain_shell(self) -> None:
        (script,) = scripts("A plain shell")
        self.assertLessEqual(len(script.splitlines()), 6)
        self.shell(script, BRANCH="side")  # the first of all
        self.shell(script, BRANCH="main")
        self.commit(1)
        self.assertIn("1 same", self.shell(script, BRANCH="side"))
        self.commit(2)
        self.assertIn("WORSE work", self.shell(script, 1, BRANCH="side"))
        self.assertIn("failures=\"1\"", (self.project / "gate.xml").read_text())
        self.assertIn("1 worse", (self.project / "gate.md").read_text())

    def test_github(self) -> None:
        found = steps("GitHub Actions")
        ours = [step for step in found if step.startswith("callgrind_gate")]
        self.assertEqual(len(ours), 3)
        measure, accept, compare = ours
        self.shell(f"{measure}\n{accept}")
        self.commit(2)
        output = self.shell(f"{measure}\n{compare}", 1)
        self.assertIn("::error title=work is slower::", output)
        self.assertIn("1 worse", (self.folder / "summary.md").read_text())

    def test_gitlab(self) -> None:
        found = steps("GitLab CI")
        ours = [step for step in found if not step.startswith("make ")]
        self.assertEqual(len(ours), 3)
        script = "\n".join(ours)
        variable, value = re.findall(r'(CALLGRIND_\w+): "(.*?)"', section("GitLab CI"))[0]
        cache = value.replace("$CI_PROJECT_DIR", str(self.project))
        self.variables[variable] = cache
        self.assertIn("accepted 1", self.shell(script, CI_COMMIT_BRANCH="main"))
        self.assertGreater(len(os.listdir(cache)), 0)
        os.chmod(cache, 0o755)  # as it may come back
        self.commit(2)
        self.assertIn("WORSE", self.shell(script, 1, CI_COMMIT_BRANCH="side"))

    def test_the_action_has_what_the_page_gives_it(self) -> None:
        inputs = read_action().defaults
        table = re.findall(r"^\| (`[^|]*`) \|", section("GitHub Actions"), re.M)
        named = {name for row in table for name in re.findall(r"`([\w-]+)`", row)}
        self.assertEqual(named, set(inputs))
        block = re.findall(r"```yaml\n(.*?)```", section("GitHub Actions"), re.DOTALL)[0]
        given = re.findall(r"^ {10}([\w-]+): ", block, re.M)
        self.assertLessEqual({"config", "comment"}, set(given))
        self.assertLessEqual(set(given), set(inputs))

    def test_shards(self) -> None:
        self.write("gate.toml", "".join(
            f"[benchmarks.b{number}]\ncommand = './bench'\n" for number in range(10)
        ))  # fmt: skip
        one, last = scripts("Many benchmarks: shards")
        for job in range(1, 9):
            self.shell(one, JOB=str(job))
        self.assertIn("merged 10 benchmarks of 8 shards", self.shell(last))

    def test_shaken_and_with_trees(self) -> None:
        (shaken,) = scripts("Events that depend on the machine")
        self.shell(shaken.replace("16", "2"))
        trees, compare = scripts("Flame graphs")[0].strip().splitlines()
        self.shell(f"{trees}\ncallgrind_gate accept baseline")
        self.commit(2)
        ended = run("sh", "-c", f"{trees}\n{compare}", cwd=self.project,
                    env={**os.environ, **self.variables})  # fmt: skip
        if "--to html needs" in ended.err:
            self.skipTest(ended.err)
        self.assert_ended(ended, 1)
        link = "[open](https://pages.example/x/1-work.html)"
        self.assertIn(link, (self.project / "gate.md").read_text())
        self.assertIn("<script", (self.project / "pages" / "1-work.html").read_text())

    def test_pprof(self) -> None:
        (script,) = scripts("Profiles for Pyroscope and Parca")
        if GO is None:
            self.skipTest("there is no go tool pprof")
        path = f"{self.variables['PATH']}:{Path(go_with_pprof()).parent}"
        shown = self.shell(script, 0, PATH=path, **VARIABLES)
        self.assertRegex(shown, r"(?m)^ .*%.*% +work( |$)")


if __name__ == "__main__":
    unittest.main()
