# SPDX-License-Identifier: GPL-2.0-or-later
#
# --layout=names: what is simulated of code does not depend on where the linker put it;
# with --layout=real it does.

from __future__ import annotations

import platform
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from analysis.build_names import plain_function, plain_object
from tests.build.built import IN_PLACE, SOURCE
from tests.steady.linked_programs import LinkedPrograms

AMD64 = platform.machine() == "x86_64"
BASE = {"PATH": "/usr/bin:/bin", "HOME": "/"}
OPTIONS = (
    "--tool=callgrind", "-q", "--instr-atstart=no", "--cache-sim=yes", "--branch-sim=yes",
    "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
)  # fmt: skip
# Where code is decides on these; where data are, on those.
OF_CODE = ("I1mr", "ILmr", "Bcm", "Bim")
OF_DATA = ("D1mr", "D1mw", "DLmr", "DLmw")
ORDERS = range(4)
MODEL = "--cycle-model=" + ("skylake" if AMD64 else "neoverse-n1")


def of_code(totals: dict[str, int]) -> dict[str, int]:
    return {event: totals[event] for event in ("Ir", *OF_CODE) if event in totals}


class LayoutTest(unittest.TestCase):
    folder: Path
    linked: LinkedPrograms
    orders: list[Path]  # the program, linked in other orders

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="layout.")).resolve()
        cls.linked = LinkedPrograms(cls.folder)
        cls.orders = [cls.linked.link(f"order{i}", i) for i in ORDERS]

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def profile(self, program: Path, *options: str) -> str:
        out = program.parent / "out"
        command = [
            str(IN_PLACE), *OPTIONS, f"--callgrind-out-file={out}", *options, str(program)
        ]  # fmt: skip
        ended = subprocess.run(command, env=BASE, capture_output=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr.decode()), (0, ""))
        return out.read_text("utf-8")

    def totals(self, program: Path, *options: str) -> dict[str, int]:
        text = self.profile(program, *options)
        events = re.search(r"^events: (.*)$", text, re.MULTILINE)
        totals = re.search(r"^(?:totals|summary): (.*)$", text, re.MULTILINE)
        assert events is not None and totals is not None
        return dict(zip(events[1].split(), map(int, totals[1].split())))

    def self_costs(self, program: Path, *options: str) -> str:
        """What each function costs, without what differs by nature: which program that
        was."""
        text = self.profile(program, "--compress-strings=no", *options)
        return re.sub(r"^(?:pid|cmd|desc|ob|cob)[:=].*\n", "", text, flags=re.MULTILINE)

    def assert_same(self, *options: str) -> None:
        """What is counted does not depend on the order of objects.  What depends on data
        as well is compared where these happen to miss as often."""
        wanted, *others = (
            self.totals(program, "--layout=names", *options)
            for program in self.orders[:3]
        )
        compared = 0
        for found in others:
            self.assertEqual(of_code(found), of_code(wanted), options)
            if all(found.get(event) == wanted.get(event) for event in OF_DATA):
                self.assertEqual(found, wanted, options)
                compared += 1
        self.assertGreater(compared, 0, "all data have moved")


class Counts(LayoutTest):
    def test_real_addresses_decide_on_misses(self) -> None:
        totals = [self.totals(program) for program in self.orders]
        self.assertEqual([total["Ir"] for total in totals], [totals[0]["Ir"]] * 4)
        for event in ("I1mr", "Bcm", "Bim"):
            self.assertGreater(len({total[event] for total in totals}), 1, event)

    def test_names_do_not(self) -> None:
        self.assert_same()
        totals = self.totals(self.orders[0], "--layout=names")
        for event in OF_CODE:
            self.assertGreater(totals[event], 0, event)

    def test_nor_in_any_function(self) -> None:
        wanted = self.self_costs(self.orders[0], "--layout=names")
        self.assertIn("fn=f3_2", wanted)
        for program in self.orders[1:]:
            found = self.self_costs(program, "--layout=names")
            self.assertEqual(sorted(found.splitlines()), sorted(wanted.splitlines()))

    def test_code_that_is_cold_or_never_so(self) -> None:
        self.assert_same("--ct-cold-runs=0")
        self.assert_same("--ct-cold-runs=3")

    def test_small_caches(self) -> None:
        self.assert_same("--I1=2048,2,32", "--LL=65536,4,64")

    def test_other_models_of_caches(self) -> None:
        self.assert_same("--simulate-hwpref=yes")
        self.assert_same("--simulate-wb=yes")
        self.assert_same("--cacheuse=yes")

    def test_cycles(self) -> None:
        self.assert_same(MODEL)

    def test_inlined_code_with_a_tree(self) -> None:
        tree = f"--call-tree-out-file={self.folder / 'tree'}"
        self.assert_same("--call-tree=yes", tree, "--read-inline-info=yes")

    def test_stored_translations(self) -> None:
        kept = self.folder / "kept"
        for program in self.orders[:2]:
            wanted = self.totals(program, "--layout=names")
            real = self.totals(program)
            for _ in range(2):
                stored = f"--translation-cache={kept}"
                self.assertEqual(self.totals(program, "--layout=names", stored), wanted)
                self.assertEqual(self.totals(program, stored), real)


class OtherLinks(LayoutTest):
    def assert_as_before(self, program: Path) -> None:
        wanted = self.totals(self.orders[0], "--layout=names")
        found = self.totals(program, "--layout=names")
        self.assertEqual(of_code(found), of_code(wanted))

    def test_more_code_before(self) -> None:
        self.assert_as_before(self.linked.link("more_0", 2, first=["more.o"]))

    def test_fixed_addresses(self) -> None:
        self.assert_as_before(self.linked.link("apart0", 3, "-Wl,-z,noseparate-code"))

    def test_a_copy_of_another_name(self) -> None:
        copy = self.folder / "copied" / "another"
        copy.parent.mkdir()
        shutil.copy(self.orders[1], copy)
        self.assert_as_before(copy)

    def test_without_symbols(self) -> None:
        programs = [self.linked.link(f"bare_{i}", i, "-s") for i in ORDERS]
        totals = [self.totals(program, "--layout=names") for program in programs]
        self.assertEqual([of_code(total) for total in totals], [of_code(totals[0])] * 4)


class Option(LayoutTest):
    def test_the_profile_says_it(self) -> None:
        self.assertIn("\ndesc: Layout: names\n",
                      self.profile(self.orders[0], "--layout=names"))  # fmt: skip
        self.assertNotIn("desc: Layout", self.profile(self.orders[0], "--layout=real"))

    def test_addresses_in_the_profile_are_the_real_ones(self) -> None:
        names, real = (
            self.profile(self.orders[1], f"--layout={layout}", "--dump-instr=yes",
                         "--compress-pos=no")  # fmt: skip
            for layout in ("names", "real")
        )
        positions = re.compile(r"^(?:calls=.* )?(0x[0-9a-f]+ [0-9]+) ", re.MULTILINE)
        self.assertEqual(positions.findall(names), positions.findall(real))
        self.assertGreater(len(positions.findall(real)), 1000)

    def test_another_word_is_refused(self) -> None:
        command = [str(IN_PLACE), *OPTIONS, "--layout=linker", "/bin/true"]
        ended = subprocess.run(command, env=BASE, capture_output=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"Bad option: --layout=linker", ended.stderr)


class PlainNames(unittest.TestCase):
    """What the tool takes for a plain name is what callgrind_report does."""

    FUNCTIONS = (
        "main", "core::fmt::write::h0123456789abcdef", "a::h0123456789abcdefg",
        "a::h0123456789abcde", "x::h0123456789abcdef::y", "std[0123456789abcdef]::f",
        "[0123456789ab]f", "f[0123456789ab]", "f[0123456789a]", "f[0123456789abcdef0]",
        "f.llvm.1234", "f.llvm.", "f.llvm.1.llvm.2", "f.constprop.0",
        "f.constprop.0.isra.1",
        "f.part.12.cold", "f.part", "f.cold", "xpart.1", "f.lto_priv.0", "f.partx.1",
        "operator.part.3(int)", "", ".", "::h", "a[", "f.isra.0.constprop.12.llvm.77",
    )  # fmt: skip
    OBJECTS = (
        "/usr/bin/python3.11", "bench-0123456789abcdef", "/a/b-0123456789abcdef.so",
        "-0123456789abcdef", "/a/", "/lib/x-0123456789abcdeg", "???",
    )  # fmt: skip
    VERSIONS = {
        "/lib/libc.so.6": "libc.so", "/lib/libm-2.31.so": "libm.so",
        "libfoo.so.1.2.3": "libfoo.so", "libfoo.so": "libfoo.so", "a.so.d": "a.so.d",
        "/x/libglib-2.0.so.0.7400.6": "libglib.so", "prog-1.2": "prog-1.2",
        "x.cpython-311-x86_64-linux-gnu.so": "x.cpython-311-x86_64-linux-gnu.so",
    }  # fmt: skip

    def plain(self, kind: str, names: tuple[str, ...]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "plain_names"
            source = SOURCE / "callgrind" / "layout" / "plain_name.c"
            printer = SOURCE / "tests" / "steady" / "plain_names.c"
            command = [
                "gcc", "-Wall", "-Werror", "-fsanitize=undefined",
                f"-I{SOURCE / 'callgrind'}", "-o", str(program), str(printer), str(source)
            ]  # fmt: skip
            subprocess.run(command, check=True)
            ended = subprocess.run([str(program), kind, *names], capture_output=True,
                                   check=True, text=True)  # fmt: skip
        return ended.stdout.split("\n")[:-1]

    def test_functions(self) -> None:
        wanted = [plain_function(name) for name in self.FUNCTIONS]
        self.assertEqual(self.plain("function", self.FUNCTIONS), wanted)

    def test_made_up_functions(self) -> None:
        chance = random.Random(1)
        pieces = ["f", "::h", "0123456789abcdef", "[", "]", ".", "part", "isra", "llvm",
                  "constprop", "7", "12", "abcdef012345", "_"]  # fmt: skip
        names = tuple(
            "".join(chance.choices(pieces, k=chance.randrange(1, 9))) for _ in range(2000)
        )
        wanted = [plain_function(name) for name in names]
        self.assertEqual(self.plain("function", names), wanted)

    def test_objects(self) -> None:
        wanted = [plain_object(path) for path in self.OBJECTS]
        self.assertEqual(self.plain("object", self.OBJECTS), wanted)

    def test_versions_of_libraries(self) -> None:
        found = self.plain("object", tuple(self.VERSIONS))
        self.assertEqual(dict(zip(self.VERSIONS, found)), self.VERSIONS)
