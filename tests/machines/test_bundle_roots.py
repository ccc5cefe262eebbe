# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the roots of the bundle are made with: the filter of system calls, and which roots
# and manners there are.  That the bundle runs there is tested by ./check bundle.

"""The filter that stands for a container's, and the names of roots."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.machines.bundle import CHECKS, HERE, MANNERS, QUICK, ROOTS, check_bundle
from tests.machines.choice import Choice

# Tells in a line which of these calls are refused, and how: by errno, 0 if not.
ASK = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *arguments):
    ctypes.set_errno(0)
    libc.syscall(number, *arguments)
    return ctypes.get_errno()
print(refused(298, 0, 0, -1, -1, 0), refused(272, 0x10000000), refused(435, 0, 0),
      refused(135, 0xffffffff), refused(135, 0x0040000), refused(41, 40, 1, 0),
      refused(500), refused(39))
"""
ENOSYS, EPERM = 38, 1


@unittest.skipUnless(os.uname().machine == "x86_64", "the filter is x86-64's")
class Filter(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.filter = self.folder / "filter"
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-o", self.filter,
                        HERE / "container_filter.c"], check=True)

    def told(self, kind: str) -> list[int]:
        python = shutil.which("python3")
        assert python is not None
        ended = subprocess.run([self.filter, kind, python, "-c", ASK], check=True,
                               capture_output=True, text=True)
        return [int(word) for word in ended.stdout.split()]

    def test_dockers(self) -> None:
        """Perf events, namespaces, clone3, two personalities, AF_VSOCK, a system call
        that is newer than the list, and getpid."""
        self.assertEqual(self.told("docker"),
                         [EPERM, EPERM, ENOSYS, 0, EPERM, EPERM, EPERM, 0])

    def test_a_kernel_without_perf_events(self) -> None:
        told = self.told("no-perf")
        self.assertEqual((told[0], told[-1]), (ENOSYS, 0))


class Names(unittest.TestCase):
    def test_each_check_is_a_function_of_the_script(self) -> None:
        script = (HERE / "try_bundle.sh").read_text()
        functions = set(re.findall(r"^(\w+)\(\)$", script, re.M))
        self.assertLessEqual(set(CHECKS), functions)
        for manner in MANNERS:
            self.assertLessEqual(set(manner.checks), set(CHECKS))

    def test_the_quick_manners_are_manners(self) -> None:
        self.assertLessEqual(set(QUICK), {manner.what for manner in MANNERS})

    def test_a_root_that_there_is_not(self) -> None:
        self.assertNotIn("debian10", ROOTS)
        self.assertEqual(check_bundle(Choice(suites=("debian10",))), 2)
