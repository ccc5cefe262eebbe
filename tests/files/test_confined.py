# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that confine themselves: the profile goes where the user wants it all the same,
# or a line says where it is, as seen from outside; their status is their own.  Relies on
# being root where a root or a user is changed.

"""Filters of system calls, other roots and file systems, limits, closed files."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

from tests.files.hostile import BUILD, SOURCE, VICTIM
from tests.native.building import build_of
from tests.reachable_build import reachable_build, reachable_copy

CONFINED = SOURCE / "tests" / "files" / "confined.c"
STATUS = 7  # of every run


@lru_cache(maxsize=None)
def confined() -> str:
    flags = (f"-I{SOURCE}/include", "-fno-sanitize=all", "-lm")
    return build_of("confined", CONFINED, flags=flags)


DENIES = """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(void)
{
   struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
   };
   struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
   prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
   return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? 1 : 7;
}
"""


class Confined(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="confined.", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.out, self.elsewhere, self.jail = (
            self.folder / name for name in ("out", "elsewhere", "jail")
        )
        for folder in (self.out, self.elsewhere, self.jail):
            folder.mkdir()
        self.elsewhere.chmod(0o1777)
        # Others touch the one that is kept.
        self.program = shutil.copy(confined(), self.folder / "confined")

    def run_tool(
        self, words: str, *options: str, name: str = "profile", fd: int = -1
    ) -> str:
        """What is said, of the tool and the program."""
        done = self.start(words, *options, name=name, fd=fd)
        said = done.stdout + done.stderr
        if re.search("^(mount|unshare|seccomp|close): ", said, re.MULTILINE):
            self.skipTest(said.strip())
        self.assertEqual(done.returncode, STATUS, said)
        return said

    def start(
        self, words: str, *options: str, name: str = "profile", fd: int = -1
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BUILD / "vg-in-place", "-q", "--vgdb=no", "--tool=callgrind",
             "--trace-children=yes", f"--callgrind-out-file={name}", *options,
             self.program, *words.split()],
            cwd=self.out, env={**os.environ, "TMPDIR": str(self.elsewhere)}, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
            pass_fds=[fd] if fd >= 0 else [],
        )

    def need_root(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("root is needed")

    def take(self, *names: str) -> None:
        """These files are there, whole, and nothing else."""
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(names))
        for name in names:
            text = (self.out / name).read_text(encoding="utf-8")
            self.assertRegex(text, "(?m)^(totals: |total: |# callgrind timeline|end)")
            (self.out / name).unlink()

    def assert_kept(self, words: str, *options: str) -> None:
        """The profile is where it was to be, and nothing is said."""
        with self.subTest(words, options=options):
            self.assertEqual(self.run_tool(words, *options), "")
            self.take("profile")

    def assert_all_kept(self, words: str) -> None:
        """So are the call tree and the timeline."""
        with self.subTest(words):
            said = self.run_tool(
                words, "--call-tree=yes", "--call-tree-out-file=tree", "--timeline=yes",
                "--timeline-out-file=timeline",
            )
            self.assertEqual(said, "")
            for name in ("tree", "timeline"):
                self.assertGreater((self.out / name).stat().st_size, 500)
                (self.out / name).unlink()
            self.take("profile")

    def assert_as_alone(self, words: str) -> None:
        """Status and output are those of the program without the tool, and the profile is
        there."""
        with self.subTest(words):
            alone = subprocess.run(
                [self.program, *words.split()], cwd=self.out, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
            )
            done = self.start(words)
            self.assertEqual(
                (done.returncode, done.stdout), (alone.returncode, alone.stdout)
            )
            dumps = words.split().count("dump") + words.split().count("exec")
            self.take("profile", *(f"profile.{n + 1}" for n in range(dumps)))

    # --- Filters of system calls -------------------------------------------------------

    def test_renaming_is_filtered(self) -> None:
        for action in ("errno", "kill", "thread", "trap"):
            self.assert_kept(f"filter rename {action}")

    def test_renaming_is_filtered_by_the_newer_call(self) -> None:
        """Which older cores do not know."""
        self.assert_kept("seccomp rename kill")

    def test_other_calls_are_filtered(self) -> None:
        for call in ("unlink", "random", "openat", "readlink", "times", "seek",
                     "renameat2", "truncate", "fchmod", "fchown", "fsync", "getdents",
                     "clone", "writev", "fcntl", "pwrite", "prlimit", "fstatat", "statx"):
            self.assert_kept(f"filter {call} kill")

    def test_opening_is_filtered(self) -> None:
        """By the older call alone, or by all: then the files are opened before."""
        if os.uname().machine == "x86_64":
            for action in ("kill", "errno"):
                self.assert_all_kept(f"filter open {action}")
        for action in ("kill", "errno", "trap"):
            self.assert_all_kept(f"noopen {action}")

    def test_opening_is_filtered_and_there_are_parts(self) -> None:
        """All go into the one file that is open."""
        for words in ("noopen kill dump", "noopen kill fork"):
            with self.subTest(words):
                self.assertEqual(self.run_tool(words), "")
                text = (self.out / "profile").read_text(encoding="utf-8")
                self.assertEqual(text.count("\ntotals: "), 2)
                self.take("profile")

    def test_the_core_is_kept_from_memory(self) -> None:
        """It ends the process when it needs some.  What was counted before is kept, and
        what came then as well, if the process came to its end."""
        for action in ("errno", "kill", "trap"):
            with self.subTest(action):
                self.start(
                    f"filter mmap {action}", "--call-tree=yes",
                    "--call-tree-out-file=tree", "--timeline=yes",
                    "--timeline-out-file=timeline",
                )  # fmt: skip
                part = (self.out / "profile.1").read_text(encoding="utf-8")
                self.assertIn("\ndesc: Trigger: Filter forbids memory\n", part)
                self.assertGreater(int(part.split("\ntotals: ")[1].split()[0]), 20_000)
                (self.out / "profile").unlink(missing_ok=True)
                self.take("profile.1", "timeline", "tree")

    def test_a_filter_of_memory_that_can_be_executed(self) -> None:
        """As of systemd's MemoryDenyWriteExecute, with a line unless -q is given."""
        program = self.folder / "denies.c"
        program.write_text(DENIES)
        subprocess.run(["gcc", "-o", self.folder / "denies", program], check=True)
        done = subprocess.run(
            [BUILD / "vg-in-place", "--vgdb=no", "--tool=callgrind",
             "--callgrind-out-file=profile", self.folder / "denies"],
            cwd=self.out, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        self.assertIn("Warning: a filter of the program's forbids mmap", done.stderr)
        (self.out / "profile").unlink(missing_ok=True)
        self.take("profile.1")

    def test_opening_is_filtered_in_another_root(self) -> None:
        self.need_root()
        self.assert_all_kept(f"chroot {self.jail} noopen kill")

    def test_all_is_filtered_but_what_callgrind_calls(self) -> None:
        self.assert_all_kept("only")
        self.assert_kept("filter rename errno only")

    def test_translations_are_not_stored_then(self) -> None:
        cache = self.folder / "cache"
        for words in ("only", "", "only"):
            self.assert_kept(words, f"--translation-cache={cache}")

    def test_parts_and_a_part_that_is_appended(self) -> None:
        self.run_tool("only dump dump")
        self.take("profile", "profile.1", "profile.2")
        self.run_tool("dump only dump", "--combine-dumps=yes")
        self.assertEqual((self.out / "profile").read_text().count("\ntotals: "), 3)
        self.take("profile")

    def test_a_file_that_was_there(self) -> None:
        (self.out / "profile").write_text("x" * 1000000)
        self.assert_kept("only")

    def test_children_under_a_filter(self) -> None:
        self.run_tool("filter rename kill fork")
        self.assertEqual(len([*self.out.iterdir()]), 2)
        for path in self.out.iterdir():
            self.assertIn("\ntotals: ", path.read_text())
            path.unlink()
        self.run_tool(f"filter rename kill exec {self.program} dump")
        self.take("profile", "profile.1", "profile.2")

    def test_a_filter_from_before_the_start(self) -> None:
        """Of somebody else than the first process."""
        launcher = BUILD / "vg-in-place"
        done = subprocess.run(
            [self.program, "filter", "rename", "kill", "exec", launcher, "-q",
             "--tool=callgrind", "--callgrind-out-file=profile", self.program],
            cwd=self.out, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )
        if "seccomp: " in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (STATUS, ""))
        self.take("profile")

    def test_the_strict_mode(self) -> None:
        """As without the tool, but for the profile."""
        for words in ("strict leave", "strict say say leave", "strict say",
                      "strict umask 0", "strict strict leave", "dump strict dump leave",
                      "start strict fall", "chroot / strict leave",
                      "filter rename errno strict leave"):
            self.assert_as_alone(words)

    def test_a_fault_is_told_as_ever(self) -> None:
        """What the core tells of it needs call frame information and lines."""
        told = []
        for words in ("filter pread kill fall", "pseudo pread kill fall"):
            done = self.start(words)
            self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
            told.append(re.findall(r"0x[0-9A-F]+: .*", done.stderr))
            self.take("profile")
        self.assertEqual(*told)
        self.assertRegex(told[0][-1], r"(main|confine) \(confined.c:")

    # --- Lines and names -----------------------------------------------------------

    def places(self, words: str, *options: str) -> set[tuple[str, str]]:
        """Functions and their lines, those of a library among them of which nobody had
        asked anything before; but for what reads the arguments, which differ."""
        self.run_tool(f"{words} start sine", "--compress-pos=no",
                      "--compress-strings=no", *options)
        found = set()
        function = ""
        for line in (self.out / "profile").read_text(encoding="utf-8").splitlines():
            if line.startswith(("ob=", "fl=", "fi=", "fe=", "fn=", "cfn=", "cfi=")):
                function = line
            elif re.match(r"\d+ \d+$", line) and "str" not in function:
                found.add((function, line.split()[0]))
        self.assertTrue(any(name == "fn=work" for name, _ in found), found)
        self.assertIn("ob=/usr/lib/", (self.out / "profile").read_text(encoding="utf-8"))
        self.take("profile")
        return found

    def assert_places_are_same(
        self, words: str, reference: str, *options: tuple[str, ...]
    ) -> None:
        for some in options:
            with self.subTest(words, options=some):
                self.assertEqual(
                    self.places(words, *some), self.places(reference, *some)
                )

    def test_places_under_a_filter(self) -> None:
        late = ("--instr-atstart=no",)
        cache = (f"--translation-cache={self.folder}/cache",)
        self.assert_places_are_same("filter pread kill", "pseudo pread kill", late)
        self.assert_places_are_same(
            "filter openat kill", "pseudo openat kill", (), late, cache, cache,
            cache + late, late + ("--read-inline-info=yes",),
        )

    def test_places_in_another_root(self) -> None:
        self.need_root()
        self.assert_places_are_same(
            f"chroot {self.jail}", "chroot /", (), ("--instr-atstart=no",),
            ("--read-inline-info=yes",),
        )

    def test_places_as_another_user(self) -> None:
        """Who may not read the program's file."""
        self.need_root()
        private = self.folder / "private"
        private.mkdir(mode=0o700)
        self.program = shutil.copy(self.program, private)
        self.out.chmod(0o777)
        self.assert_places_are_same(
            f"user {VICTIM}", "user 0", ("--instr-atstart=no",)
        )

    # --- Other roots and file systems --------------------------------------------------

    def test_another_root(self) -> None:
        self.need_root()
        for words in (f"chroot {self.jail}", f"pivot {self.jail}", f"cover {self.out}",
                      f"cover {self.folder}", f"cover {self.jail} chroot {self.jail}",
                      f"chroot {self.jail} filter rename kill"):
            self.assert_all_kept(words)
            self.assertEqual(list(self.jail.iterdir()), [])

    def test_another_root_and_a_path_that_is_there_as_well(self) -> None:
        self.need_root()
        (self.jail / str(self.out)[1:]).mkdir(parents=True)
        self.assert_kept(f"chroot {self.jail}")

    def test_another_root_and_children(self) -> None:
        self.need_root()
        for words in (f"chroot {self.jail} fork", f"fork chroot {self.jail}"):
            self.assertEqual(self.run_tool(words, name="p.%p"), "")
            self.assertEqual(len([*self.out.iterdir()]), 2)
            shutil.rmtree(self.out)
            self.out.mkdir()

    def test_another_root_and_links_on_the_way(self) -> None:
        self.need_root()
        (self.folder / "link").symlink_to(self.out)
        (self.folder / "name").symlink_to(self.folder / "link" / "profile")
        for name in (self.folder / "link" / "profile", self.folder / "name"):
            self.assertEqual(self.run_tool(f"chroot {self.jail}", name=str(name)), "")
            self.take("profile")

    def test_another_root_and_a_cache(self) -> None:
        self.need_root()
        cache = self.folder / "cache"
        self.assert_kept(f"chroot {self.jail}", f"--translation-cache={cache}")
        self.assertTrue([*cache.iterdir()])
        self.assertEqual(list(self.jail.iterdir()), [])

    def test_the_last_way_out_is_outside(self) -> None:
        """Also where the jail has such a folder."""
        self.need_root()
        (self.jail / str(self.elsewhere)[1:]).mkdir(parents=True)
        for words in (f"chroot {self.jail}", f"cover {self.elsewhere}",
                      f"pivot {self.jail}"):
            with self.subTest(words):
                said = self.run_tool(words, name="absent/profile")
                found = re.search("the profile is in '(.*)' instead", said)
                assert found, said
                path = Path(found[1])
                self.assertEqual(path.parent, self.elsewhere)
                self.assertIn("\ntotals: ", path.read_text())

    def test_a_folder_that_is_made_in_time(self) -> None:
        """It was not there at the start, nor when the root was changed."""
        self.need_root()
        late = self.folder / "late"
        process = subprocess.Popen(
            [BUILD / "vg-in-place", "-q", "--vgdb=no", "--tool=callgrind",
             f"--callgrind-out-file={late}/profile", "perl", "-e",
             "$| = 1; chroot $ARGV[0] or die; print qq(in\\n); <STDIN>; exit 7",
             self.jail],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "in\n")
        late.mkdir()
        self.assertEqual(process.communicate("go\n"), ("", ""))
        self.assertIn("\ntotals: ", (late / "profile").read_text())

    def test_where_functions_are_defined_in_another_root(self) -> None:
        """Read from the program's file, which is out of reach at the end."""
        self.need_root()
        header, source = self.folder / "first.h", self.folder / "defined.c"
        header.write_text("static inline __attribute__((always_inline)) void first(void)"
                          ' { __asm__ volatile("nop; nop"); }\n')  # fmt: skip
        source.write_text(
            '#include "first.h"\n#include <unistd.h>\n'
            "__attribute__((noinline)) int begins(int n)\n{\n"
            "   first();\n   return n + 1;\n}\n"
            "int main(int n, char** words)\n"
            f"{{\n   return chroot(words[1]) ? 1 : begins({STATUS - 1});\n}}\n"
        )
        program = self.folder / "defined"
        subprocess.run(["gcc", "-g", "-O2", source, "-o", program], check=True)
        done = subprocess.run(
            [BUILD / "vg-in-place", "-q", "--vgdb=no", "--tool=callgrind",
             f"--callgrind-out-file={self.out}/profile", program, self.jail],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, STATUS, done.stderr)
        self.assertIn(f"# defined in: {source}\n", (self.out / "profile").read_text())

    # --- Open files --------------------------------------------------------------------

    def test_files_that_were_open(self) -> None:
        ways = ["", "close", "only", "close only"]
        if os.geteuid() == 0:
            ways += [f"chroot {self.jail}", f"close chroot {self.jail}",
                     f"chroot {self.jail} close", f"pivot {self.jail} close only"]
        for words in ways:
            for form in ("/dev/fd/{}", "/proc/self/fd/{}"):
                with self.subTest(words, form=form):
                    fd = os.open(self.out / "profile", os.O_WRONLY | os.O_CREAT, 0o600)
                    said = self.run_tool(words, name=form.format(fd), fd=fd)
                    os.close(fd)
                    self.assertEqual(said, "")
                    self.take("profile")

    # --- Limits, users and the rest ----------------------------------------------------

    def test_limits(self) -> None:
        self.assert_all_kept("limit filesize 0")
        for words in ("limit filesize 0", "limit filesize 4096", "limit files 0",
                      "limit filesize 0 fork"):
            with self.subTest(words):
                self.assertEqual(self.run_tool(words, name="p.%p"), "")
                for path in self.out.iterdir():
                    self.assertIn("\ntotals: ", path.read_text())
                    path.unlink()

    def test_limits_of_its_own(self) -> None:
        """The program is told of them, and they hold for it: it gets as much memory as
        without the tool, which itself has more."""
        for words in ("limit memory 100000000 dump tell memory fill",
                      "limit memory 1000000 fill limit memory 900000000 fill",
                      "hard memory 300000000 tell memory fill",
                      "hard memory 300000000 gone /nowhere",
                      "hard files 0",
                      f"hard memory 300000000 exec {self.program} tell memory",
                      "hard filesize 1000000 tell filesize",
                      f"hard filesize 1000000 exec {self.program} tell filesize"):
            self.assert_as_alone(words)

    def test_limits_of_one_who_cannot_raise_them(self) -> None:
        self.need_root()
        self.out.chmod(0o777)
        for words in ("hard memory 90000000 fill hard memory 200000000 tell memory",
                      "hard memory 90000000 limit memory 90000001 tell memory",
                      "hard memory 90000000 limit memory 80000000 fill tell memory",
                      "hard filesize 99 hard filesize 100 limit filesize 98"):
            self.assert_as_alone(f"user {VICTIM} {words}")

    def test_the_processor_time(self) -> None:
        """Where the system kills the process the profile is there as well."""
        for words in ("hard time 1 tell time spin", "limit time 1 spin"):
            self.assert_as_alone(words)
        if os.geteuid() == 0:
            self.out.chmod(0o777)
            self.assert_as_alone(f"user {VICTIM} hard time 1 hard time 2 spin")

    def test_the_processor_time_from_before_the_start(self) -> None:
        """Which is enough for the tool to start, also where the host takes a part."""
        ways: list[list[str]] = [[]]
        if os.geteuid() == 0:
            ways.append(["setpriv", "--reuid", str(VICTIM), "--clear-groups"])
        self.out.chmod(0o777)
        for words in ways:
            done = subprocess.run(
                ["sh", "-c", 'ulimit -t 3; exec "$@"', "sh", *words,
                 reachable_build() / "vg-in-place", "-q", "--vgdb=no",
                 "--tool=callgrind", "--callgrind-out-file=profile",
                 reachable_copy(Path(self.program)), "spin"],
                cwd=self.out, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                check=False,
            )
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            self.take("profile")

    def test_a_limit_holds_for_the_program(self) -> None:
        """Between two dumps as well."""
        done = subprocess.run(
            [BUILD / "vg-in-place", "-q", "--tool=callgrind", "--dump-every-bb=2000",
             "--callgrind-out-file=profile", "sh", "-c",
             "ulimit -S -f 0; trap '' XFSZ; echo lost > file; test ! -s file && exit 7"],
            cwd=self.out, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )
        self.assertEqual(done.returncode, STATUS, done.stderr)
        self.assertNotIn("cannot write", done.stderr)
        (self.out / "file").unlink()
        self.assertGreater(len([*self.out.iterdir()]), 2)

    def test_the_rest(self) -> None:
        for words in (f"gone {self.folder}", "umask 777", "umask 777 dump"):
            with self.subTest(words):
                self.assertEqual(self.run_tool(words, "--combine-dumps=yes"), "")
                self.take("profile")

    def test_a_folder_in_which_nothing_can_be_made(self) -> None:
        """But the file is there, and the user's."""
        self.need_root()
        for words in ("", "dump dump", "limit filesize 0"):
            for old in ("", "old\n" * 100000):
                with self.subTest(words, old=len(old)):
                    path = self.out / "profile"
                    path.write_text(old)
                    os.chown(path, VICTIM, VICTIM)
                    said = self.run_tool(f"user {VICTIM} {words}", "--combine-dumps=yes")
                    self.assertEqual(said, "")
                    text = path.read_text()
                    self.assertNotIn("old", text)
                    self.assertEqual(text.count("\ntotals: "), 1 + words.count("dump"))
                    self.take("profile")

    def test_a_file_of_anothers_in_such_a_folder(self) -> None:
        """Which the user may write to: no."""
        self.need_root()
        path = self.out / "profile"
        path.write_text("root's\n")
        path.chmod(0o666)
        said = self.run_tool(f"user {VICTIM}")
        self.assertRegex(said, "the profile is in '.*/elsewhere/.*' instead")
        self.assertEqual(path.read_text(), "root's\n")

    def test_a_file_system_that_becomes_read_only(self) -> None:
        self.need_root()
        said = self.run_tool(f"cover {self.jail} readonly {self.out}")
        self.assertEqual(said, "")  # for the program alone
        self.take("profile")

    def test_files_that_may_not_be_written_by_landlock(self) -> None:
        """The line says where the profile is."""
        said = self.start(f"landlock {self.elsewhere}")
        if "landlock: " in said.stderr:
            self.skipTest("the core or the system knows no Landlock")
        self.assertEqual(said.returncode, STATUS)
        self.assertRegex(said.stderr, "the profile is in '.*/elsewhere/.*' instead")

    def test_another_user(self) -> None:
        """Who may not write there: it goes elsewhere."""
        self.need_root()
        said = self.run_tool(f"user {VICTIM}")
        self.assertRegex(said, "the profile is in '.*/elsewhere/.*' instead")
        self.assertEqual(len([*self.elsewhere.iterdir()]), 1)
        self.assertEqual([*self.out.iterdir()], [])


if __name__ == "__main__":
    unittest.main()
