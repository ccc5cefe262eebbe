# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls of the core that do not come to the tool although configure saw that they would,
# as in a core that another compiler has put together.  The tool is linked once more, with
# one call left where it is: the profile is the same, and a line says what is not done.

"""What is led to the tool, and does not arrive."""

from __future__ import annotations

import re
import shlex
import shutil
import unittest
from functools import lru_cache
from pathlib import Path

from tests.build.built import BUILD, PLATFORM, BuildTest, make, run
from tests.core_headers import request_flags
from tests.differential.profile_bytes import different_files, first_difference
from tests.differential.profile_bytes import run as profile
from tests.runner.series import in_turn

TOOL = f"callgrind/callgrind-{PLATFORM}"
PROGRAM = """
#include <cpuid.h>
#include <pthread.h>
#include <unistd.h>
#include "callgrind.h"
static volatile int sum;
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void* work(void* n)
{
   sum += fib(*(int*)n);
   usleep(1);
   sum += fib(3);
   return 0;
}
int main(void)
{
   unsigned a, b, c, d;
   int n = 7;
   pthread_t thread;
   pthread_create(&thread, 0, work, &n);
   usleep(1);
   pthread_join(thread, 0);
   if (__get_cpuid(1, &a, &b, &c, &d)) /* the model, and what it has */
      for (unsigned i = (a >> 4 & 15) + (c & 255); i > 0; i--)
         sum += fib(1);
   for (int i = 0; i < 3; i++) {
      sum += fib(9);
      CALLGRIND_STOP_INSTRUMENTATION;
      sum += fib(5);
      CALLGRIND_START_INSTRUMENTATION;
   }
   return 0;
}
"""
# With one table code is translated anew, and it may be divided otherwise; and whose turn
# it is, is said there.
MAY_DIFFER = re.compile(rb"^desc: (?:Timerange|Threads): .*\n", re.M)
MADE_ANEW = "each translation is made anew"
ONE_TABLE = "there is one table of translations, not two"
NONE_RESERVED = "VEX chooses registers otherwise than is known: none are reserved"
ENTERED_OTHERWISE = "The core enters code that may use registers otherwise than is known"
READ_AT_ONCE = "The core reads debug information otherwise than is known"
NO_TURNS = "The core gives its lock up otherwise than is known"
# What --stats=yes says then, of parts that are there otherwise.
LOST_CODE = "code kept and stored: no"
LOST_TABLES = "START and STOP in no time: no"
LOST_REGISTERS = "reserved registers: no"
LOST_LINES = "late source lines: no"
LOST_SYMBOLS = "late symbols: no"
LOST_TURNS = "turns of threads: no"
LOST_LOG = "a log without control characters: no"
LOST = (LOST_CODE, LOST_TABLES, LOST_REGISTERS, LOST_LINES, LOST_SYMBOLS, LOST_TURNS,
        LOST_LOG)
LINES = (MADE_ANEW, ONE_TABLE, NONE_RESERVED, ENTERED_OTHERWISE, READ_AT_ONCE, NO_TURNS)
# The lines that are said, each once, and what is lost.  Of all others nothing is said:
# without such a call, the core does itself what it was asked for.
EXPECTED: dict[str, tuple[str, ...]] = {
    "LibVEX_Translate": (MADE_ANEW, ONE_TABLE, LOST_CODE, LOST_TABLES, LOST_REGISTERS),
    "vgPlain_search_transtab": (ONE_TABLE, LOST_TABLES),
    "vgPlain_add_to_transtab": (ONE_TABLE, LOST_TABLES),
    "getRRegUniverse_AMD64": (NONE_RESERVED, LOST_REGISTERS),
    "vgPlain_disp_run_translations": (ENTERED_OTHERWISE, LOST_REGISTERS),
    "vgModuleLocal_create_sched_lock": (LOST_TURNS,),
    "vgModuleLocal_acquire_sched_lock": (LOST_TURNS,),
    "vgModuleLocal_release_sched_lock": (NO_TURNS, LOST_TURNS),
    "vgPlain_write": (LOST_LOG,),
    **{f"vgModuleLocal_{name}": (READ_AT_ONCE, LOST_LINES, LOST_SYMBOLS) for name in (
        "dinfo_zalloc", "read_elf_debug_info", "read_elf_object", "read_elf_debug",
        "img_from_local_file", "finish_CFSI_arrays", "search_one_loctab")},
    "vgPlain_use_CF_info": (READ_AT_ONCE, LOST_LINES, LOST_SYMBOLS),
    "vgModuleLocal_search_one_symtab": (LOST_SYMBOLS,),
}
# The launcher of the comparison is quiet.
OPTIONS = ("--ct-check=all", "--steady=yes", "-v", "-v", "--stats=yes")


@lru_cache(maxsize=None)
def link_command() -> str:
    """What links the tool, as make would say it."""
    ended = make("-n", "V=1", "-W", f"callgrind/callgrind_{PLATFORM}-main.o", TOOL)
    found = re.search(rf"^.* -o {TOOL} .*$", ended.out.replace("\\\n", " "), re.M)
    assert found is not None, ended.out + ended.err
    return found[0]


def wrapped() -> list[str]:
    """All functions whose calls are led to the tool."""
    return re.findall(r"-Wl,--wrap=(\S+)", link_command())


class FallBacks(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "program.c").write_text(PROGRAM)
        self.assert_ended(run("gcc", "-g", "-O1", "-static", "-pthread", *request_flags(),
                              "-o", "program", "program.c", cwd=self.folder), 0)

    def link_without(self, name: str = "") -> Path:
        """A build whose tool the calls of a function do not reach, if one is named."""
        build = self.folder / (name or "whole")
        tools = build / ".in_place"
        shutil.copytree(BUILD / ".in_place", tools, symlinks=True)
        tool = tools / f"callgrind-{PLATFORM}"
        tool.unlink()
        words = shlex.split(link_command())
        words[words.index("-o") + 1] = str(tool)
        if name:
            led = words.index(f"-Wl,--wrap={name}")
            words[led] = f"-Wl,--defsym=__real_{name}={name}"
        self.assert_ended(run(*words, "-s", cwd=BUILD), 0)
        return build

    def profile_of(self, build: Path) -> tuple[str, dict[str, bytes]]:
        """What is said, and the files that are written."""
        program = str(self.folder / "program")
        written = profile(build, self.folder, list(OPTIONS), [program])
        said = written.pop("output").decode()
        return said, {name: MAY_DIFFER.sub(b"", text) for name, text in written.items()}

    def test_the_profile_is_the_same(self) -> None:
        said, whole = self.profile_of(self.link_without())
        for unexpected in (*LINES, *LOST):
            self.assertNotIn(unexpected, said)
        self.assertIn("host registers: 2 reserved", said)
        for name in in_turn(wrapped()):
            with self.subTest(name=name):
                said, without = self.profile_of(self.link_without(name))
                expected = EXPECTED.get(name, ())
                # Without turns, threads run as they are woken.
                for file in different_files(whole, without):
                    if LOST_TURNS not in expected:
                        self.fail(first_difference(whole, without, file))
                self.assertEqual([(text, said.count(text)) for text in (*LINES, *LOST)],
                                 [(text, text in expected) for text in (*LINES, *LOST)])
                reserved = 0 if LOST_REGISTERS in expected else 2
                self.assertIn(f"host registers: {reserved} reserved", said)


if __name__ == "__main__":
    unittest.main()
