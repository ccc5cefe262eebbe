# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a program is told of its machine with --steady=yes and --guest-cpu, and what the
# profile says of it.

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from tests.build.built import IN_PLACE

HERE = Path(__file__).resolve().parent
AMD64 = platform.machine() == "x86_64"
BASE = {"PATH": "/usr/bin:/bin", "HOME": "/"}
FLAGS = Path("/proc/cpuinfo").read_text("utf-8", "replace")
HAS_V3 = {"avx2", "bmi1", "f16c", "abm"} <= set(FLAGS.split())


@unittest.skipUnless(AMD64, "levels of processors are those of amd64")
class ToldTest(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="told.")).resolve()
        command = ["gcc", "-O1", "-o", "told", str(HERE / "told.c")]
        subprocess.run(command, cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def told(
        self,
        *options: str,
        variables: Optional[dict[str, str]] = None,
        arguments: tuple[str, ...] = (),
        folder: Optional[str] = None,
    ) -> str:
        """What the program prints."""
        out, program = "out", "./told"
        if folder is not None:
            out, program = str(self.folder / "out"), str(self.folder / "told")
        command = [
            str(IN_PLACE), "--tool=callgrind", "-q", f"--callgrind-out-file={out}",
            *options, program, *arguments,
        ]  # fmt: skip
        ended = subprocess.run(
            command,
            cwd=folder or self.folder,
            env={**BASE, **(variables or {})},
            capture_output=True,
            check=False,
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))
        return ended.stdout.decode()

    def line(self, text: str, start: str) -> str:
        found = re.search(f"^{re.escape(start)} (.*)$", text, re.MULTILINE)
        assert found is not None, text
        return found.group(1)

    def descriptions(self) -> dict[str, str]:
        text = (self.folder / "out").read_text("utf-8")
        return dict(re.findall(r"^desc: ([^:]*): (.*)$", text, re.MULTILINE))


@unittest.skipUnless(HAS_V3, "this processor is below x86-64-v3")
class Steady(ToldTest):
    def test_the_same_in_each_run(self) -> None:
        self.assertEqual(self.told("--steady=yes"), self.told("--steady=yes"))

    def test_one_processor(self) -> None:
        text = self.told("--steady=yes")
        self.assertEqual(self.line(text, "affinity"), "1 first 1")
        self.assertEqual(self.line(text, "getcpu"), "0 0")
        self.assertEqual(self.line(text, "online"), "1 configured 1")
        self.assertEqual(self.line(text, "/proc/cpuinfo lines"), "1")
        self.assertEqual(self.line(text, "/proc/stat lines"), "2")
        self.assertEqual(self.line(text, "/sys/devices/system/cpu/online"), "0")

    def test_memory_and_limit(self) -> None:
        text = self.told("--steady=yes")
        self.assertEqual(self.line(text, "memory"), str(16 << 20))
        self.assertIn("MemTotal:       16777216 kB", text)
        self.assertEqual(self.line(text, "stack limit"), str(8 << 20))

    def test_how_much_of_a_file_to_read_at_a_time(self) -> None:
        # The kernel says 1024 of the file that is asked about.
        self.assertEqual(set(self.line(self.told(), "block").split()), {"1024"})
        told = self.line(self.told("--steady=yes"), "block").split()
        self.assertEqual(told, ["4096"] * 7)

    def test_folders_list_their_files_by_name(self) -> None:
        # File systems list by hashes, by age, or the newest first.
        names = [f"{i * 7919 % 300:03}{'x' * (i % 40)}" for i in range(300)]
        listed = self.folder / "listed"
        listed.mkdir()
        self.addCleanup(shutil.rmtree, listed)
        for name in names:
            (listed / name).touch()
        plain, told = self.told(), self.told("--steady=yes")
        expected = sorted([*names, ".", ".."])
        self.assertEqual(sorted(self.line(plain, "listing").split()), expected)
        self.assertNotEqual(self.line(plain, "listing").split(), expected)
        self.assertEqual(self.line(told, "listing").split(), expected)
        self.assertEqual(self.line(told, "left"), "nothing")

    def test_the_stack_begins_at_one_address(self) -> None:
        places = set()
        for size in (0, 1, 100, 5000, 50000):
            text = self.told(
                "--steady=yes",
                variables={"MORE": "x" * size},
                arguments=("y" * (size // 2),),
            )
            places.add(
                (self.line(text, "stack"), self.line(text, "tables"),
                 self.line(text, "EXECFN at"), self.line(text, "heap"))
            )  # fmt: skip
            self.assertIn(f"arguments 1 {'y' * (size // 2)}\n", text)
        self.assertEqual(len(places), 1, places)

    def test_the_stack_can_be_shifted(self) -> None:
        plain = int(self.line(self.told("--steady=yes"), "stack"), 16)
        for shift, rounded in ((16, 16), (1001, 1008), (65536, 65536)):
            text = self.told("--steady=yes", f"--steady-shift={shift}")
            self.assertEqual(plain - int(self.line(text, "stack"), 16), rounded)

    def test_the_working_folder_can_have_a_longer_name(self) -> None:
        plain = self.line(self.told("--steady=yes"), "folder")
        self.assertEqual(plain, str(self.folder))
        head, _, tail = plain.rpartition("/")
        for more in (1, 16, 1000):
            text = self.told("--steady=yes", f"--steady-folder={more}")
            told = self.line(text, "folder")
            self.assertEqual(told, head + "/" * (more + 1) + tail)
            self.assertTrue(os.path.samefile(told, self.folder))
            said = f"{len(plain) + more} bytes"
            self.assertEqual(self.descriptions()["Working folder"], said)
        # Without --steady nobody is told anything.
        self.assertEqual(self.line(self.told("--steady-folder=9"), "folder"), plain)

    def test_a_longer_name_of_the_folder_has_to_fit(self) -> None:
        text = self.told("--steady=yes", "--steady-folder=16", folder="/tmp")
        self.assertEqual(self.line(text, "folder"), "/" * 17 + "tmp")
        self.assertEqual(self.line(text, "small"), "/tmp")
        text = self.told("--steady=yes", "--steady-folder=5", folder="/")
        self.assertEqual(self.line(text, "folder"), "/")

    def test_a_very_long_environment_has_more_room(self) -> None:
        more = {f"MORE_{i}": "x" * 100000 for i in range(4)}
        text = self.told("--steady=yes", variables=more)
        self.assertEqual(text.count("variable MORE_"), 4)
        self.assertEqual(text, self.told("--steady=yes", variables=more))

    def test_the_auxiliary_vector(self) -> None:
        text = self.told("--steady=yes")
        self.assertEqual(self.line(text, "HWCAP"), "bfebfbff HWCAP2 0")
        self.assertEqual(self.line(text, "PLATFORM"), "x86_64")
        entries, alike = re.findall(r"\d+", self.line(text, "auxv"))
        self.assertEqual(entries, alike)

    def test_hash_seeds_unless_they_are_set(self) -> None:
        text = self.told("--steady=yes", variables={"PYTHONHASHSEED": "7"})
        self.assertIn("variable PYTHONHASHSEED=7\n", text)
        self.assertNotIn("PYTHONHASHSEED=0", text)
        self.assertIn("variable PERL_HASH_SEED=0\n", text)

    def test_only_variables_that_were_asked_for(self) -> None:
        given = {"LC_ALL": "C", "SECRET": "s", "LC": "x"}
        text = self.told("--steady=yes", "--steady-env=PATH,LC_*", variables=given)
        seen = re.findall(r"^variable (\w+)=", text, re.MULTILINE)
        self.assertEqual(
            sorted(seen), ["LC_ALL", "PATH", "PERL_HASH_SEED", "PYTHONHASHSEED"]
        )
        # The distribution's launcher adds some of its own.
        hidden = re.findall(r", (\d+) hidden$", self.descriptions()["Environment"])
        self.assertGreaterEqual(int(hidden[0]), 3)

    def test_where_the_tool_lies_has_a_fixed_length(self) -> None:
        text = self.told("--steady=yes")
        self.assertEqual(int(self.line(text, "preload")) % 256, 0)

    def test_without(self) -> None:
        text = self.told()
        processors = len(os.sched_getaffinity(0))
        self.assertEqual(self.line(text, "affinity").split()[0], str(processors))
        self.assertNotIn("PYTHONHASHSEED", text)
        self.assertNotEqual(
            self.line(text, "getrandom"), self.line(self.told(), "getrandom")
        )
        self.assertNotIn("Steady", self.descriptions())


class GuestCpu(ToldTest):
    def test_version_2(self) -> None:
        text = self.told("--guest-cpu=x86-64-v2")
        self.assertEqual(self.line(text, "AVX"), "0")
        self.assertEqual(self.line(text, "AVX2"), "0")
        self.assertEqual(self.line(text, "rdtsc"), "1000")

    @unittest.skipUnless(HAS_V3, "this processor is below x86-64-v3")
    def test_version_3(self) -> None:
        text = self.told("--guest-cpu=x86-64-v3")
        for name, bit in (("AVX", "1"), ("AVX2", "1"), ("F16C", "1")):
            self.assertEqual(self.line(text, name), bit)
        for name in ("RDRAND", "RDSEED"):
            self.assertEqual(self.line(text, name), "0")

    def test_host(self) -> None:
        self.assertEqual(
            re.findall("^cpuid.*", self.told(), re.MULTILINE),
            re.findall("^cpuid.*", self.told("--guest-cpu=host"), re.MULTILINE),
        )


@unittest.skipUnless(HAS_V3, "this processor is below x86-64-v3")
class Said(ToldTest):
    def test_lines_of_the_profile(self) -> None:
        self.told("--steady=yes", "--cache-sim=yes", arguments=("abc", "d"))
        told = self.descriptions()
        self.assertEqual(told["Steady"], "yes")
        self.assertEqual(told["Guest CPU"], "x86-64-v3")
        self.assertEqual(told["Processors"], "1")
        self.assertEqual(told["Arguments"], "2, 6 bytes")
        self.assertEqual(told["Program path"], "6 bytes")
        self.assertEqual(told["Working folder"], f"{len(str(self.folder))} bytes")
        self.assertEqual(told["Kernel"], platform.release())
        self.assertRegex(told["Core"], r"^Valgrind [0-9.]+.*, amd64-linux$")
        self.assertRegex(told["libc build id"], r"^[0-9a-f]{8,}$")
        self.assertEqual(told["LL cache"], "8388608 B, 64 B, 16-way associative")

    def test_the_environment_as_it_was_given(self) -> None:
        self.told("--steady=yes")
        variables, size = re.findall(r"\d+", self.descriptions()["Environment"])[:2]
        self.told("--steady=yes", variables={"MORE": "x" * 94})
        more, larger = re.findall(r"\d+", self.descriptions()["Environment"])[:2]
        self.assertEqual(int(more), int(variables) + 1)
        self.assertEqual(int(larger), int(size) + 100)


if __name__ == "__main__":
    unittest.main()
