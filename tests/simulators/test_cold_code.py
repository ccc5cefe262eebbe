# SPDX-License-Identifier: GPL-2.0-or-later
#
# Superblocks are translated twice (callgrind/instrument/emit/cold_code.h).  Whenever the
# second translation comes, the profile must be the same.

"""A profile does not depend on when code is translated for speed."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Sequence

from tests.core_headers import request_flags

BUILD = Path(os.environ.get("VG_BUILD", "build"))
LAUNCHER = BUILD / "vg-in-place"

# Loops, recursion, a string instruction, a tail call, misses and jumps out of the midst.
PROGRAM = r"""
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static unsigned char table[1 << 17];
static jmp_buf back;

static __attribute__((noinline)) int recurse(int n)
{
   return n < 2 ? n : recurse(n - 1) + recurse(n - 2);
}

static __attribute__((noinline)) int look_up(unsigned at)
{
   unsigned sum = 0;
   for (int i = 0; i < 40; i++) {
      at = at * 1103515245u + 12345u;
      if (at % 64 == 7)
         longjmp(back, 1);
      sum += table[at >> 15]++;
   }
   return (int)sum;
}

static __attribute__((noinline)) void fill(unsigned n)
{
   void* to = table + n * 64;
   size_t size = 100 + n;
   __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(n) : "memory");
}

/* One superblock of two functions: the first runs on into the second.  */
int run_on(const void*, const void*, const void*);
__asm__(".text\n.type run_on, @function\nrun_on: movzbl (%rdi), %eax\n"
        "add (%rsp), %al\nmovzbl (%rsi), %ecx\n.size run_on, .-run_on\n"
        ".type into, @function\ninto: add (%rdx), %cl\nadd -8(%rsp), %cl\n"
        "add %ecx, %eax\nret\n.size into, .-into\n");

static const unsigned char* somewhere(void)
{
   static unsigned at = 1;
   at = at * 1103515245u + 12345u;
   return table + (at >> 15);
}

int main(void)
{
   volatile int sum = 0;
   for (int i = 0; i < 3000; i++)
      sum += run_on(somewhere(), somewhere(), somewhere());
   for (volatile unsigned i = 0; i < 300; i++) {
      fill(i);
      if (setjmp(back) == 0)
         sum += look_up(i);
      sum += recurse((int)i % 9);
   }
   return sum == 0;
}
"""

# A wrapper that switches instrumentation on, and then calls what it wraps.  Where a cold
# superblock of that began again by its address, it would be the wrapper once more.
WRAPPED = r"""
#include "callgrind.h"

static int started;

int I_WRAP_SONAME_FNNAME_ZU(NONE, work)(int n);
int I_WRAP_SONAME_FNNAME_ZU(NONE, work)(int n)
{
   OrigFn original;
   int result;
   VALGRIND_GET_ORIG_FN(original);
   if (!started++)
      CALLGRIND_START_INSTRUMENTATION;
   CALL_FN_W_W(result, original, n);
   return result;
}

__attribute__((noinline)) int work(int n)
{
   __asm__ volatile("");
   return n + 1;
}

int main(void)
{
   int n = 0;
   for (int i = 0; i < 20; i++)
      n = work(n);
   return n - 20;
}
"""

# Not --cacheuse=yes: what it counts in the loader differs from run to run.
MODELS = [
    ["--cache-sim=yes"],
    ["--cache-sim=yes", "--branch-sim=yes", "--collect-jumps=yes"],
    ["--cache-sim=yes", "--I1=256,1,64", "--D1=512,2,64", "--LL=4096,4,64"],
    ["--cache-sim=yes", "--simulate-wb=yes", "--simulate-hwpref=yes"],
    ["--cache-sim=yes", "--separate-callers=2", "--ct-check=all"],
]
GEOMETRY = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]


class ColdCode(unittest.TestCase):
    def setUp(self) -> None:
        if not LAUNCHER.exists():
            self.skipTest("VG_BUILD names no build of the tool")
        folder = tempfile.TemporaryDirectory(prefix="cold_code.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, source: str, *flags: str) -> Path:
        text, program = self.folder / "program.c", self.folder / "program"
        text.write_text(source)
        subprocess.run(["gcc", "-g", "-O1", "-fno-pie", "-no-pie", *flags,
                        *request_flags(), "-o", str(program), str(text)],
                       check=True)
        return program

    def profile(self, program: Path, options: list[str]) -> str:
        """What is written, without what tells one run from another."""
        out = self.folder / "out"
        command = [str(LAUNCHER), "-q", "--tool=callgrind", "--dump-instr=yes",
                   f"--callgrind-out-file={out}", *GEOMETRY, *options, str(program)]
        # The core's LD_PRELOAD takes the place of ours, and is not the last of the
        # environment's strings: the C library's strcspn() reads a few bytes behind its
        # end, and behind the last string lie the random ones of AT_RANDOM.
        environment = {"LD_PRELOAD": "", "PATH": os.environ["PATH"]}
        ended = subprocess.run(
            ["setarch", "-R", *command], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        return re.sub(r"^(pid|cmd|desc): .*\n", "", out.read_text(), flags=re.MULTILINE)

    def compare(self, program: Path, model: list[str], each: Sequence[str]) -> None:
        at_once = self.profile(program, [*model, "--ct-cold-runs=0000"])
        self.assertIn("look_up", at_once)
        for cold_runs in each:
            with self.subTest(model=model, cold_runs=cold_runs):
                found = self.profile(program, [*model, f"--ct-cold-runs={cold_runs}"])
                self.assertEqual(found, at_once)

    def test_it_does_not_matter_when(self) -> None:
        """Without a dynamic linker, for which a run takes four times as long."""
        program = self.build(PROGRAM, "-static")
        for model in MODELS:
            self.compare(program, model, ("0001", "0030", "0300", "4096"))

    def test_much_code(self) -> None:
        """That of the dynamic linker: thousands of superblocks, each a few times."""
        program = self.build(PROGRAM)
        for model, cold_runs in zip(MODELS, ("0001", "0003", "0010", "0030", "4096")):
            self.compare(program, model, [cold_runs])

    def test_a_wrapped_function(self) -> None:
        program = self.build(WRAPPED)
        options = ["--cache-sim=yes", "--instr-atstart=no", "--compress-strings=no"]
        at_once = self.profile(program, [*options, "--ct-cold-runs=0"])
        self.assertIn("fn=work\n", at_once)
        self.assertEqual(self.profile(program, [*options, "--ct-cold-runs=3"]), at_once)
