# SPDX-License-Identifier: GPL-2.0-or-later
#
# The bundle of `make bundle`: what is in it, that two are equal, and that it runs from
# wherever it lies.  That it needs nothing of the system is tested in roots without a
# Valgrind: ./check bundle (tests/machines/bundle.py).

"""The archive that runs without a Valgrind."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.build.built import (
    BUILD,
    PLATFORM,
    SOURCE,
    BuildTest,
    Ended,
    Word,
    make,
    makefile_variable,
    run,
)
from tests.build.bundle import MACHINE, NAME, VERSION, archive, unpack_into, unpacked
from tests.build.test_launcher import WAIT_FOR_SIGNAL, WHICH_TOOL, waiting
from tests.small_program import small_program

# One process makes the bundle.
pytestmark = pytest.mark.xdist_group("bundle")

MOST_BYTES = 12 << 20

COMMANDS = {
    *("valgrind", "callgrind-exact", "vgdb", "callgrind_control", "callgrind_annotate"),
    *("callgrind_report", "callgrind_export", "callgrind_gate"),
}
SAMPLER = "callgrind_sample"


class Contents(BuildTest):
    def names(self) -> set[str]:
        with tarfile.open(archive()) as tar:
            return {member.name for member in tar.getmembers()}

    def test_it_is_small(self) -> None:
        self.assertLess(archive().stat().st_size, MOST_BYTES)

    def test_all_lies_in_one_folder_named_after_version_and_machine(self) -> None:
        self.assertEqual({name.split("/")[0] for name in self.names()}, {NAME})

    def test_the_commands(self) -> None:
        wanted = set(COMMANDS)
        if (BUILD / SAMPLER).exists():
            wanted.add(SAMPLER)
        self.assertEqual({path.name for path in (unpacked() / "bin").iterdir()}, wanted)

    def test_the_tools(self) -> None:
        tools = {path.name for path in (unpacked() / "libexec/valgrind").iterdir()}
        self.assertLessEqual(
            {f"callgrind-{PLATFORM}", f"none-{PLATFORM}",
             f"vgpreload_core-{PLATFORM}.so", "default.supp"}, tools)
        self.assertFalse({name for name in tools if "memcheck" in name})

    def test_no_link_leads_out_of_it(self) -> None:
        with tarfile.open(archive()) as tar:
            for member in tar.getmembers():
                if member.issym():
                    self.assertNotIn("/", member.linkname, member.name)

    def test_nobody_owns_it_and_everybody_may_read_it(self) -> None:
        with tarfile.open(archive()) as tar:
            for member in tar.getmembers():
                self.assertEqual((member.uid, member.gid, member.uname), (0, 0, ""))
                self.assertEqual(member.mode & 0o066, 0o044, member.name)

    def test_it_names_no_folder_of_this_machine(self) -> None:
        here = str(BUILD).encode()
        for path in sorted(unpacked().rglob("*")):
            if path.is_file():
                self.assertNotIn(here, path.read_bytes(), path)

    def test_programs_of_its_own_are_static(self) -> None:
        for name in ("bin/valgrind", f"bin/{SAMPLER}",
                     "libexec/callgrind-exact/read_profile"):
            program = unpacked() / name
            if program.exists():
                told = run("readelf", "--program-headers", program).out
                self.assertIn("LOAD", told)
                self.assertNotIn("INTERP", told, name)

    def test_each_linked_library_stands_in_the_sources(self) -> None:
        told = (unpacked() / "SOURCES").read_text()
        wanted = {"valgrind", "glibc"}
        if (BUILD / SAMPLER).exists():
            libraries = makefile_variable("SAMPLER_STATIC_LIBS").split()
            self.assertIn("-ldw", libraries)
            for library in libraries:
                self.assertIn(f"lib{library[2:]} ", told)
            wanted.add("elfutils")
        for package in wanted:
            self.assertRegex(told, rf" {package} \S+ +licences/{package}\n")
        for name in re.findall(r"licences/[\w.-]*\w", told):
            self.assertGreater((unpacked() / name).stat().st_size, 500, name)

    def test_version_and_sum_stand_beside_it(self) -> None:
        found = hashlib.sha256(archive().read_bytes()).hexdigest()
        told = archive().with_name(f"{NAME}.tar.xz.sha256").read_text()
        self.assertEqual(told, f"{found}  {NAME}.tar.xz\n")
        installer = archive().with_name("install.sh").read_text()
        self.assertIn(f"\ndefault_version='{VERSION}'\n", installer)
        self.assertIn(f"\nsum_{MACHINE}='{found}'\n", installer)


class Reproducible(BuildTest):
    def test_a_second_one_is_equal_to_the_byte(self) -> None:
        """Made by another shell's settings, in another folder for temporary files, at
        another time."""
        first = archive().read_bytes()
        elsewhere = self.folder / "temporary files"
        elsewhere.mkdir()
        changes = {"TMPDIR": str(elsewhere), "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8",
                   "XZ_OPT": "-0"}
        before = os.umask(0o077)
        try:
            ended = make("-s", "bundle", **changes)
        finally:
            os.umask(before)
        self.assert_ended(ended, 0)
        second = (BUILD / "bundle" / f"{NAME}.tar.xz").read_bytes()
        self.assertEqual(hashlib.sha256(first).hexdigest(),
                         hashlib.sha256(second).hexdigest())

    def test_the_date_can_be_set(self) -> None:
        for made in archive().parent.iterdir():
            self.addCleanup(shutil.copy2, made, BUILD / "bundle")
        self.assert_ended(make("-s", "bundle", SOURCE_DATE_EPOCH="1000000000"), 0)
        with tarfile.open(BUILD / "bundle" / f"{NAME}.tar.xz") as tar:
            self.assertEqual({member.mtime for member in tar.getmembers()}, {1000000000})


class Running(BuildTest):
    """From a folder with a space in its name, in which nobody may write."""

    def valgrind(self, *words: Word, **changes: str) -> Ended:
        launcher = unpacked() / "bin/valgrind"
        return run(launcher, *words, cwd=self.folder, env={**os.environ, **changes})

    def which_tool(self, launcher: Path, **changes: str) -> str:
        ended = run(launcher, "-q", "--tool=callgrind", "sh", "-c", WHICH_TOOL,
                    cwd=self.folder, env={**os.environ, **changes})
        self.assert_ended(ended, 0)
        self.assertEqual(ended.err, "")
        return ended.out.strip()

    def tool(self) -> str:
        return str(unpacked() / "libexec/valgrind" / f"callgrind-{PLATFORM}")

    def test_its_own_tool_runs(self) -> None:
        self.assertEqual(self.which_tool(unpacked() / "bin/valgrind"), self.tool())

    def test_by_a_link(self) -> None:
        link = self.folder / "a link"
        link.symlink_to(unpacked() / "bin/callgrind-exact")
        self.assertEqual(self.which_tool(link), self.tool())

    def test_another_valgrinds_folder_is_not_used(self) -> None:
        for elsewhere in ("/nonexistent", makefile_variable("CORE_LIBEXECDIR")):
            found = self.which_tool(unpacked() / "bin/valgrind", VALGRIND_LIB=elsewhere)
            self.assertEqual(found, self.tool())

    def test_children_are_run_by_it(self) -> None:
        options = ("-q", "--tool=callgrind", "--trace-children=yes")
        ended = self.valgrind(*options, "sh", "-c", f"sh -c '{WHICH_TOOL}'; :")
        self.assert_ended(ended, 0)
        self.assertEqual(ended.out.strip(), self.tool())
        profiles = list(self.folder.glob("callgrind.out.*"))
        self.assertGreaterEqual(len(profiles), 2)

    def test_its_library_is_loaded_though_the_name_has_a_space(self) -> None:
        """The core names a library in LD_PRELOAD, where a space ends a name."""
        maps = "while read line; do echo $line; done < /proc/self/maps"
        for home in (str(self.home), "/nonexistent/home"):
            words = ("-q", "--tool=callgrind", "sh", "-c", maps)
            ended = self.valgrind(*words, HOME=home)
            self.assert_ended(ended, 0)
            self.assertIn("vgpreload_core", ended.out, home)
            self.assertEqual(ended.err, "")

    def test_a_link_below_tmp_is_not_taken_from_another(self) -> None:
        """Where the folder for it is not ours, the library is not loaded at all."""
        if os.geteuid() != 0:
            self.skipTest("only root can make a folder of another user")
        user = 65533
        folder = Path(f"/tmp/callgrind-exact-{user}")
        if folder.exists():
            self.skipTest(f"{folder} is there already")
        folder.mkdir()
        self.addCleanup(folder.rmdir)
        os.chmod(self.folder, 0o777)
        os.chmod(unpacked().parent, 0o755)
        words = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")
        program = shutil.copy(small_program(), self.folder)
        ended = run(*words, unpacked() / "bin/valgrind", "-q", "--tool=none", program,
                    cwd=self.folder, HOME="/nonexistent")
        self.assertEqual(list(folder.iterdir()), [])
        self.assert_ended(ended, 0)

    def test_a_lone_command_finds_it_by_the_variable(self) -> None:
        lone = self.folder / "valgrind"
        lone.write_bytes((unpacked() / "bin/valgrind").read_bytes())
        lone.chmod(0o755)
        found = self.which_tool(lone, CALLGRIND_EXACT_HOME=str(unpacked()))
        self.assertEqual(found, self.tool())

    def test_a_lone_command_says_what_to_do(self) -> None:
        for name in ("valgrind", "vgdb", "callgrind_control", "callgrind_report"):
            lone = self.folder / name
            lone.write_bytes((unpacked() / "bin" / name).read_bytes())
            lone.chmod(0o755)
            ended = run(lone, "--version")
            self.assertNotEqual(ended.status, 0)
            self.assertRegex(ended.err, r"\A[^\n]*CALLGRIND_EXACT_HOME[^\n]*\n\Z")
            beside = run(lone, "--version", CALLGRIND_EXACT_HOME=str(self.folder))
            self.assertNotEqual(beside.status, 0, name)
            whole = run(lone, "--help", CALLGRIND_EXACT_HOME=str(unpacked()))
            self.assertNotIn("CALLGRIND_EXACT_HOME", whole.err, name)

    def test_every_command_tells_its_version_or_use(self) -> None:
        for name in sorted(path.name for path in (unpacked() / "bin").iterdir()):
            ended = run(unpacked() / "bin" / name, "--help")
            self.assertRegex(ended.out + ended.err, r"(?i)usage", name)

    def test_what_is_not_in_it_is_refused_in_a_line(self) -> None:
        refused: tuple[tuple[tuple[Word, ...], str], ...] = (
            (("--tool=massif", small_program()), "massif: no such tool in this bundle"),
            (("--tool=", small_program()), "no such tool in this bundle"),
            (("--tool=../valgrind/none", small_program()), "no such tool in this bundle"),
            ((small_program(),), "write --tool=callgrind; memcheck"),
        )
        for words, told in refused:
            ended = self.valgrind(*words)
            self.assert_ended(ended, 1)
            self.assertRegex(ended.err, r"\Avalgrind \(callgrind-exact\): [^\n]*\n\Z")
            self.assertIn(told, ended.err)

    def test_a_program_of_another_machine_is_refused(self) -> None:
        header = bytearray(small_program().read_bytes()[:64])
        for what, place, value in (("32-bit", 18, 3), ("not a program for", 18, 8),
                                   ("not a program for", 4, 1)):
            changed = bytearray(header)
            changed[place] = value
            program = self.folder / "program"
            program.write_bytes(changed)
            program.chmod(0o755)
            script = self.folder / "script"
            script.write_text(f"#!{program}\n")
            script.chmod(0o755)
            for name in (program, script):
                ended = self.valgrind("--tool=callgrind", name)
                self.assert_ended(ended, 1)
                self.assertIn(what, ended.err)
                self.assertIn(str(program), ended.err)

    def test_what_cannot_run_at_all_is_told_by_the_core(self) -> None:
        programs: tuple[Word, ...] = ("/nonexistent", "no-such-program", self.folder)
        for program in programs:
            ended = self.valgrind("--tool=callgrind", program)
            self.assertIn(ended.status, (126, 127))
            self.assertIn("valgrind: ", ended.err)

    def test_callgrind_control_finds_a_program(self) -> None:
        """By its list: asked for more, it would ask what other tests run, too."""
        commands = unpacked() / "bin"
        self.assertIn(" ", str(commands))
        words: list[Word] = ["-q", "--tool=callgrind", *WAIT_FOR_SIGNAL]
        with waiting([commands / "valgrind", *words], self.folder) as program:
            told = run(commands / "callgrind_control")
            self.assertIn(f"PID {program.pid}:", told.out)

    def test_moved_as_a_whole(self) -> None:
        moved = unpack_into(self.folder).rename(self.folder / "moved: here")
        found = self.which_tool(moved / "bin/valgrind")
        self.assertEqual(found, str(moved / "libexec/valgrind" / f"callgrind-{PLATFORM}"))


class Documented(BuildTest):
    def test_the_page_names_what_install_understands(self) -> None:
        page = (SOURCE / "docs/bundle.md").read_text()
        usage = run(SOURCE / "install.sh", "--help").out
        for option in set(re.findall(r"--[a-z0-9]+", usage)):
            self.assertIn(f"`{option}", page)
