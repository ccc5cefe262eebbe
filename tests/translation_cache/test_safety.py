# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the translation cache trusts, and what it does where that does not hold: the
# program runs as ever, its profile is the same, and at most one line is said.

"""Folders of others, damaged and foreign files, several processes at once."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from tests.differential.options import build_folder

OTHER_USER = 64901
MANY_LINES = 5000  # fewer are read at once, and not stored
COLLECTED = re.compile(r"Collected : (\d+)")
USE = re.compile(r"translation cache: (\d+) used, (\d+) stored")
WARNING = re.compile(r"warning: .*translation.*")


class Safety(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cache."))
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = self.folder / "cache"

    def command(self, *options: str, program: tuple[str, ...] = ("true",)) -> list[str]:
        return [
            str(build_folder() / "vg-in-place"), "--command-line-only=yes",
            "--tool=callgrind", "--stats=yes", f"--callgrind-out-file={self.folder}/out",
            *options, *program,
        ]

    def run_tool(
        self,
        *options: str,
        program: tuple[str, ...] = ("true",),
        environment: Optional[dict[str, str]] = None,
    ) -> str:
        """What the tool says."""
        return subprocess.run(
            self.command(*options, program=program),
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, check=True,
        ).stderr

    def cached(self, program: tuple[str, ...] = ("true",)) -> str:
        return self.run_tool(f"--translation-cache={self.cache}", program=program)

    def used(self, said: str) -> int:
        found = USE.search(said)
        return int(found[1]) if found else 0

    def counted(self, said: str) -> int:
        found = COLLECTED.search(said)
        assert found, said
        return int(found[1])

    def fill(self) -> str:
        said = self.cached()
        self.assertEqual(WARNING.findall(said), [])
        return said

    def files(self) -> list[Path]:
        return sorted(self.cache.iterdir())

    def assert_refused(self, reason: str) -> None:
        said = self.cached()
        self.assertEqual(
            WARNING.findall(said),
            [f"warning: no translation cache in '{self.cache}': {reason}"],
        )
        self.assertEqual(self.used(said), 0)

    # --- Where it is -------------------------------------------------------------------

    def test_only_the_user_may_open_it(self) -> None:
        self.fill()
        self.assertEqual(stat.S_IMODE(self.cache.stat().st_mode), 0o700)
        for path in self.files():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertEqual(path.stat().st_uid, os.geteuid())

    def test_the_users_own_folder(self) -> None:
        for variable, below in (("XDG_CACHE_HOME", "."), ("HOME", ".cache")):
            home = self.folder / variable
            home.mkdir()
            environment = {"XDG_CACHE_HOME": "", variable: str(home)}
            self.run_tool("--translation-cache=yes", environment=environment)
            found = home / below / "callgrind-exact" / "translations"
            self.assertTrue(any(found.iterdir()))

    def test_the_environment_names_it(self) -> None:
        named = {"CALLGRIND_TRANSLATION_CACHE": str(self.cache)}
        self.run_tool(environment=named)
        self.assertGreater(self.used(self.run_tool(environment=named)), 500)
        said = self.run_tool("--translation-cache=no", environment=named)
        self.assertNotIn("translation cache:", said)

    def test_not_by_default(self) -> None:
        home = {"XDG_CACHE_HOME": str(self.folder), "CALLGRIND_TRANSLATION_CACHE": ""}
        self.run_tool(environment=home)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["out"])

    def test_a_folder_that_others_may_open(self) -> None:
        self.fill()
        for mode in (0o755, 0o710, 0o701, 0o722):
            self.cache.chmod(mode)
            self.assert_refused("others may open it: chmod 700")

    def test_a_folder_of_another_user(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("another user is needed, and so root")
        self.fill()
        os.chown(self.cache, OTHER_USER, OTHER_USER)
        self.assert_refused("it belongs to another user")

    def test_what_is_no_folder(self) -> None:
        self.cache.write_text("a file")
        self.assert_refused("a part of its path is not a folder")

    def test_a_symbolic_link(self) -> None:
        """Whoever may write where it lies could lead us elsewhere.  Folders on the way to
        it may be links: they are the user's own business."""
        other = self.folder / "other"
        other.mkdir(mode=0o700)
        self.cache.symlink_to(other)
        refusal = "it is a symbolic link: name the folder that it leads to"
        self.assert_refused(refusal)
        said = self.run_tool(f"--translation-cache={self.cache}/")
        self.assertIn(refusal, said)
        self.assertEqual(list(other.iterdir()), [])
        self.run_tool(f"--translation-cache={self.cache}/below")
        self.assertTrue(any((other / "below").iterdir()))

    def test_without_a_home(self) -> None:
        said = self.run_tool(
            "--translation-cache=yes", environment={"HOME": "", "XDG_CACHE_HOME": ""}
        )
        self.assertEqual(
            WARNING.findall(said),
            ["warning: no translation cache in 'yes': neither XDG_CACHE_HOME nor HOME is "
             "set"],
        )

    # --- What lies there ---------------------------------------------------------------

    def test_files_of_others_and_links_are_not_used(self) -> None:
        expected = self.counted(self.fill())
        for path in self.files():
            path.rename(self.folder / path.name)
            path.symlink_to(self.folder / path.name)
        said = self.cached()
        self.assertEqual(self.used(said), 0)
        self.assertEqual(self.counted(said), expected)
        self.assertFalse(any(path.is_symlink() for path in self.files()))
        refused = "warning: a file of the translation cache in "
        self.assertEqual(said.count(refused), 1, said)
        self.assertNotIn(refused, self.cached())
        for path in self.files():
            path.chmod(0o644)
        said = self.cached()
        self.assertEqual((self.used(said), self.counted(said)), (0, expected))
        self.assertEqual(said.count(refused), 1, said)
        self.assertEqual({path.stat().st_mode & 0o777 for path in self.files()}, {0o600})

    def test_folders_in_place_of_files(self) -> None:
        """They can neither be used nor replaced: one line, not two."""
        expected = self.counted(self.fill())
        for path in self.files():
            path.unlink()
            path.mkdir(mode=0o700)
        said = self.cached()
        self.assertEqual((self.used(said), self.counted(said)), (0, expected))
        self.assertEqual(len(WARNING.findall(said)), 1, said)

    def test_damage_changes_no_count(self) -> None:
        """Two thousand mutations of single files are native/test_code_file.py's."""
        expected = self.counted(self.fill())
        whole = {path: path.read_bytes() for path in self.files()}
        largest = max(whole, key=lambda path: len(whole[path]))
        size = len(whole[largest])
        for at in (20, 100, size // 2, size - 100):
            for damaged in (
                whole[largest][:at],
                whole[largest][:at] + b"\xff" + whole[largest][at + 1:],
                whole[largest][:at] + b"\0" * (size - at),
            ):
                largest.write_bytes(damaged)
                said = self.cached()
                self.assertEqual(WARNING.findall(said), [])
                self.assertEqual(self.counted(said), expected)
        self.assertGreater(self.used(self.cached()), 500)

    def test_files_of_another_build(self) -> None:
        """What another build of the tool has stored is not looked at."""
        expected = self.counted(self.fill())
        for path in self.files():
            content = bytearray(path.read_bytes())
            content[16] ^= 1  # of the identity
            path.write_bytes(content)
        said = self.cached()
        self.assertEqual((self.used(said), self.counted(said)), (0, expected))

    def test_files_under_the_names_of_others(self) -> None:
        """Mixed up when they were restored, say.  Each was whole, and of this build, but
        its lines and code are another object's: none is used, and all are made anew."""
        program = (str(self.program_with_libraries()),)
        self.cached(program)
        expected = self.profile()
        for name in ("one.c", "two.c"):
            self.assertIn(name, expected)
        whole = {path: path.read_bytes() for path in self.files()}
        lines = [path for path in whole if path.name.endswith("-0-0.code")]
        self.assertGreater(len(lines), 2)
        everything = sorted(whole)
        for names in (*itertools.permutations(lines, 2), everything):
            for path, other in zip(names, (*names[1:], names[0])):
                path.write_bytes(whole[other])
            said = self.cached(program)
            self.assertEqual(WARNING.findall(said), [])
            self.assertEqual(self.profile(), expected)
            self.assertEqual(self.used(said) == 0, names is everything)
        self.assertGreater(self.used(self.cached(program)), 500)

    def program_with_libraries(self) -> Path:
        """The libraries have the same code at the same places, from other lines."""
        (self.folder / "program.c").write_text(
            "int in_one(void), in_two(void);\n"
            "int main(void) { return in_one() + in_two(); }\n"
        )
        program = self.folder / "program"
        built = [["-o", str(program), "program.c",
                  *(str(self.folder / f"{name}.so") for name in ("one", "two"))]]
        for blank, name in ((1, "one"), (9, "two")):
            (self.folder / f"{name}.c").write_text(
                "\n" * blank + f"int in_{name}(void)\n{{\n   volatile int i = 0;\n"
                + "   i++;\n" * MANY_LINES + "   return 0;\n}\n"
            )
            built.insert(0, ["-shared", "-fPIC", "-o", f"{name}.so", f"{name}.c"])
        for words in built:
            subprocess.run(
                ["gcc", "-g", "-O1", *words], cwd=self.folder, check=True
            )
        return program

    def profile(self) -> str:
        """What was written last, but for what differs from run to run."""
        text = (self.folder / "out").read_text(encoding="utf-8")
        return re.sub("^(pid|desc: Time).*\n", "", text, flags=re.MULTILINE)

    def test_a_program_that_was_changed(self) -> None:
        """The guest's code is compared, whatever the name of its file says."""
        source = self.folder / "program.c"
        source.write_text(
            "int main(void) { for (volatile int i = 0; i < 0x12345; i++) ; return 0; }"
        )
        program = self.folder / "program"
        subprocess.run(
            ["gcc", "-O1", "-s", "-Wl,--build-id=none", "-o", program, source], check=True
        )
        before = program.stat()
        self.cached(program=(str(program),))
        counted = self.counted(self.cached(program=(str(program),)))
        content = program.read_bytes()
        limit, higher = (n.to_bytes(4, "little") for n in (0x12344, 0x12344 + 1000))
        self.assertIn(limit, content)  # the loop's test, before it and in it
        program.write_bytes(content.replace(limit, higher))
        os.utime(program, (before.st_atime, before.st_mtime))
        uncached = self.counted(self.run_tool(program=(str(program),)))
        self.assertGreater(uncached, counted + 1000)
        self.assertEqual(self.counted(self.cached(program=(str(program),))), uncached)

    # --- Size --------------------------------------------------------------------------

    def test_the_oldest_files_go_first(self) -> None:
        self.fill()
        numbers = "0123456789abcdef-" * 3
        old, new = (self.cache / f"{numbers}{at}000.code" for at in (4, 5))
        strangers = [self.cache / name for name in ("thesis", "my.code", "new-ideas")]
        for path in strangers:
            path.write_bytes(b"x" * (700 << 10))
            os.utime(path, (1, 1))
        for path, age in ((old, 2000), (new, 1000)):
            path.write_bytes(b"x" * (700 << 10))
            at = path.stat().st_mtime - age
            os.utime(path, (at, at))
        self.run_tool(
            f"--translation-cache={self.cache}", "--translation-cache-size=1",
            "--collect-jumps=yes",
        )
        self.assertFalse(old.exists())
        self.assertTrue(all(path.exists() for path in strangers))
        ours = set(self.files()) - set(strangers)
        self.assertLessEqual(sum(path.stat().st_size for path in ours), 1 << 20)

    # --- Several processes -------------------------------------------------------------

    def test_two_at_once(self) -> None:
        expected = self.counted(self.run_tool())
        for _ in range(3):
            shutil.rmtree(self.cache, ignore_errors=True)
            both = [
                subprocess.Popen(
                    self.command(f"--translation-cache={self.cache}"),
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                )
                for _ in range(2)
            ]
            for process in both:
                said = process.communicate()[1]
                self.assertEqual(process.returncode, 0)
                self.assertEqual(WARNING.findall(said), [])
                self.assertEqual(self.counted(said), expected)
            self.assertGreater(self.used(self.cached()), 500)

    def test_fork_and_exec(self) -> None:
        shell = ("sh", "-c", "(true); sh -c 'exec true'; (exec echo)")
        self.run_tool("--trace-children=yes", f"--translation-cache={self.cache}",
                      program=shell)
        said = self.run_tool("--trace-children=yes", f"--translation-cache={self.cache}",
                             program=shell)
        uses = [(int(used), int(stored)) for used, stored in USE.findall(said)]
        self.assertGreaterEqual(len(uses), 3)
        for used, stored in uses:
            self.assertGreater(used, 20 * stored)

    def kill(self, *program: str) -> None:
        """Kills a process of ours when the program has printed something."""
        waiting = subprocess.Popen(
            self.command(f"--translation-cache={self.cache}", program=program),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        assert waiting.stdout is not None
        waiting.stdout.readline()
        waiting.send_signal(signal.SIGKILL)
        waiting.communicate()

    def test_a_process_that_is_killed_leaves_files_whole(self) -> None:
        expected = self.counted(self.fill())
        before = {path: path.read_bytes() for path in self.files()}
        self.kill("sh", "-c", "echo ready; read word")
        for path in self.files():
            if path in before:
                self.assertTrue(path.read_bytes() == before[path], path)
            else:
                self.assertRegex(path.name, "^new-")
        said = self.cached()
        self.assertEqual(self.counted(said), expected)

    def test_what_a_killed_process_has_half_written(self) -> None:
        """Nobody reads it, and it is removed when it is a day old."""
        expected = self.counted(self.fill())
        whole = set(self.files())
        self.kill("perl", "-e", "use POSIX; $| = 1; print qq(ready\\n); <STDIN>;")
        left = set(self.files()) - whole
        self.assertTrue(left)
        for path in left:
            self.assertRegex(path.name, "^new-")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        said = self.run_tool(f"--translation-cache={self.cache}", "--collect-jumps=yes")
        self.assertEqual(WARNING.findall(said), [])
        self.assertEqual(self.counted(said), expected)
        self.assertLess(left, set(self.files()))
        for path in left:
            at = path.stat().st_mtime - 25 * 60 * 60
            os.utime(path, (at, at))
        self.run_tool(f"--translation-cache={self.cache}", "--cache-sim=yes")
        self.assertFalse(left & set(self.files()))

    def test_a_program_may_not_write_large_files(self) -> None:
        """The signal that the system sends for that does not reach the program."""
        program = (
            "perl", "-e", "use POSIX; use Encode; use List::Util; print 'the end'"
        )
        for _ in range(2):
            done = subprocess.run(
                ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", *self.command(
                    f"--translation-cache={self.cache}",
                    "--callgrind-out-file=/dev/null", program=program,
                )],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            )
            self.assertEqual(done.stdout, "the end")
            self.assertEqual(
                WARNING.findall(done.stderr),
                [f"warning: translations are not saved in '{self.cache}': the file is "
                 "too large"],
            )
            self.assertFalse([path for path in self.files() if "new" in path.name])

    def test_a_fatal_signal_saves_what_was_made(self) -> None:
        program = ("sh", "-c", "kill -TERM $$")
        for _ in range(2):
            said = subprocess.run(
                self.command(f"--translation-cache={self.cache}", program=program),
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
            ).stderr
        self.assertGreater(self.used(said), 500)

    def test_a_full_disk(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("a file system is mounted, and so root is needed")
        if shutil.which("mount") is None:
            self.skipTest("mount is not installed")
        self.cache.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "none", self.cache],
            capture_output=True, text=True, check=False,
        )
        if mounted.returncode != 0:
            self.skipTest(f"nothing can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(lambda: subprocess.run(["umount", self.cache], check=True))
        expected = self.counted(self.run_tool())
        for _ in range(2):
            said = self.cached()
            self.assertEqual(self.counted(said), expected)
            self.assertEqual(
                WARNING.findall(said),
                [f"warning: translations are not saved in '{self.cache}': no space left "
                 "on the device"],
            )
            self.assertFalse([path for path in self.files() if "new" in path.name])


if __name__ == "__main__":
    unittest.main()
