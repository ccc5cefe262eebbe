# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/dwarf/: which functions are inlined where, in debug information that was
# written by hand (make_dwarf.py) and some that is wrong.

"""Debug information of inlined functions."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from tests.native import make_dwarf
from tests.native.building import HERE, SOURCE, build_of
from tests.native.fuzzing import INLINED_READERS
from tests.native.make_corpus import BITS, CODE, EXECUTABLE, NOTE, elf_of

GET = "space::get<space::<lambda#1>*>||/folder/inner/here.c|21"
LAMBDA = "space::<lambda#1>::operator()||/folder/inner/here.c|30"
BOX = "|_ZN5space3BoxC4Ei||0"
HALF = "space::half||/folder/inner/here.c|0"  # whose scope has no line either
EXPECTED = [
    "0xff0 ?", "0x1000 -", f"0x1010 {GET}", f"0x1018 {LAMBDA} {GET}", "0x1020 -",
    f"0x1024 {GET}", "0x1028 -", f"0x1038 {BOX}",
    f"0x103c {HALF}", "0x1040 ?",
]
FUNCTIONS = ["0xff0 ?", "0x1000 /folder/inner/here.c|40", "0x1040 ?"]

ONE, TWO = (f"main(int, char**)::<lambda#{number}>" for number in (1, 2))
MADE_OF_LAMBDAS = {
    *(f"shapes::apply<{one}>" for one in (ONE + " ", TWO + " ")),
    *(f"shapes::apply<outer<{one} >({one}, int)::<lambda#1> >" for one in (ONE, TWO)),
    *(f"shapes::Holder<{one} >::run" for one in (ONE, TWO)),
    f"shapes::all<{ONE}, {TWO} >", f"shapes::all<{TWO}, {ONE} >",
    *(f"shapes::held<shapes::Holder, {one} >" for one in (ONE, TWO)),
    *(f"shapes::called<{types}, {ONE} >" for types in (f"{ONE}, {TWO}", f"{TWO}, {ONE}")),
}


def file_of(sections: dict[bytes, bytes], build_id: bytes = b"") -> bytes:
    """An ELF file with code and these sections."""
    note = struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + build_id
    identity = [(b".note.gnu.build-id", NOTE, 0, note)] if build_id else []
    return elf_of([(b".text", BITS, EXECUTABLE, CODE), *identity,
                   *((name, BITS, 0, data) for name, data in sections.items())])


def calls_in(sections: dict[bytes, bytes]) -> list[str]:
    return calls_with(file_of(sections), {})


def calls_with(content: bytes, others: dict[str, bytes], *what: str) -> list[str]:
    """Of a file, with others in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        for name, data in others.items():
            Path(folder, name).write_bytes(data)
        return read_inlined(path, 0xFF0, 0x1048, *what)


def read_inlined(path: Path, first: int, last: int, *what: str,
                 leaks: bool = False) -> list[str]:
    own = ("read_inlined.c", "fake_core.c", "fake_tables.c", "faults.c")
    program = build_of("read_inlined", *(HERE / name for name in own),
                       *(SOURCE / name for name in INLINED_READERS))
    done = subprocess.run(
        [program, str(path), hex(first), hex(last), *what], capture_output=True,
        text=True, check=False, env={"ASAN_OPTIONS": f"detect_leaks={int(leaks)}"})
    if "LeakSanitizer has encountered a fatal error" in done.stderr:
        raise unittest.SkipTest("leaks cannot be looked for here")
    if done.returncode != 0:
        raise AssertionError(done.stderr[:2000])
    return done.stdout.splitlines()


def calls_of_main(path: Path) -> list[str]:
    """What is inlined into main, from where on in it."""
    symbols = subprocess.run(["nm", "-S", str(path)], capture_output=True, text=True,
                             check=True).stdout
    (start, size), = [(int(words[0], 16), int(words[1], 16))
                      for words in map(str.split, symbols.splitlines())
                      if words[-1] == "main"]
    lines = read_inlined(path, start, start + size - 1)
    return [f"{int(at, 16) - start} {calls}" for at, calls in
            (line.split(" ", 1) for line in lines)]


class Dwarf(unittest.TestCase):
    def test_calls_names_files_and_lines(self) -> None:
        for version in (4, 5):
            with self.subTest(version=version):
                self.assertEqual(calls_in(make_dwarf.sections(version)), EXPECTED)

    def test_packed(self) -> None:
        """Each section, and all of them."""
        sections = make_dwarf.sections(5)
        for which in (*([name] for name in sections), list(sections)):
            with self.subTest(packed=which):
                self.assertEqual(calls_in({
                    name.replace(b".debug", b".zdebug") if name in which else name:
                    make_dwarf.packed(content) if name in which else content
                    for name, content in sections.items()}), EXPECTED)

    def test_a_section_says_which_unit_is_where(self) -> None:
        """Or not all of it, or what is wrong; then the units say so themselves."""
        made = make_dwarf.address_ranges
        code = make_dwarf.CODE_START
        before = struct.pack("<IH", 9, 99) + bytes(7)  # a unit that is not known
        for version in (4, 5):
            sections = make_dwarf.sections(version)
            sections[b".debug_info"] = before + sections[b".debug_info"]
            unit = len(before)
            for ranges in (
                made((code, 0x40), unit=unit), made((code, 0x20), unit=unit), b"",
                made((code, 0x40)), made((code, 0x40), unit=unit + 1),
                made((code, 0x40), unit=9_999), made((code, 2**64 - 1), unit=unit),
                made((code + 0x400, 0x40), unit=unit),
                made((code, 0x40), unit=unit)[:-20],
                made((1, 4)) + made((code, 0x40), unit=unit)[:4] + b"\3\0" + bytes(50),
            ):
                with self.subTest(version=version, ranges=ranges):
                    sections[b".debug_aranges"] = ranges
                    self.assertEqual(calls_in(sections), EXPECTED)

    def test_no_more_is_unpacked_than_needed(self) -> None:
        """What is behind the unit cannot be, and that does no harm."""
        sections = make_dwarf.sections(4)
        chance = random.Random(1)
        info = sections.pop(b".debug_info")
        behind = b"".join(struct.pack("<IH", 1_000, 99) + chance.randbytes(998)
                          for _ in range(100))
        packed = make_dwarf.packed(info + behind)
        sections[b".zdebug_info"] = packed[:len(packed) // 2]
        self.assertEqual(calls_in(sections), EXPECTED)
        sections[b".debug_aranges"] = make_dwarf.address_ranges(
            (make_dwarf.CODE_START, 0x40))
        self.assertEqual(calls_in(sections), EXPECTED)
        sections[b".zdebug_info"] = packed[:len(info) // 4]
        self.assertEqual(calls_in(sections), ["0xff0 ?"])

    def test_where_the_function_is(self) -> None:
        """Also where its code is inlined; in one file, or in two."""
        for version in (4, 5):
            with self.subTest(version=version):
                whole = file_of(make_dwarf.sections(version))
                self.assertEqual(calls_with(whole, {}, "functions"), FUNCTIONS)
                first = file_of(make_dwarf.skeleton(version))
                other = {"split.dwo": file_of(make_dwarf.split(version))}
                self.assertEqual(calls_with(first, other, "functions"), FUNCTIONS)
                self.assertEqual(calls_with(first, {}, "functions"), ["0xff0 ?"])

    def test_without_a_section(self) -> None:
        """What stands there is not known, and the rest is as before."""
        for section, lost in ((b".debug_line", "/folder/inner/here.c"),
                              (b".debug_line_str", "/folder/inner/here.c")):
            with self.subTest(section=section):
                sections = make_dwarf.sections(5)
                del sections[section]
                self.assertEqual(calls_in(sections),
                                 [line.replace(lost, "") for line in EXPECTED])

    def test_a_separate_file(self) -> None:
        """It must have the same build id, or, where there is none, the checksum."""
        debug = make_dwarf.sections(5)
        same, other = b"\1" * 20, b"\2" * 20
        for build_id, its_id, off, is_read in (
            (same, same, 1, True), (same, other, 0, False), (same, b"", 0, False),
            (b"", b"", 0, True), (b"", same, 0, True), (b"", b"", 1, False),
        ):
            with self.subTest(build_id=build_id, its_id=its_id, off=off):
                separate = file_of(debug, its_id)
                link = b"there.debug\0" + struct.pack("<I", zlib.crc32(separate) ^ off)
                found = calls_with(file_of({b".gnu_debuglink": link}, build_id),
                                   {"there.debug": separate})
                self.assertEqual(found, EXPECTED if is_read else ["no debug information"])

    def test_split_into_two_files(self) -> None:
        """A file of its own, which must have the unit's id, or a package."""
        for version in (4, 5):
            skeleton = file_of(make_dwarf.skeleton(version))
            other = make_dwarf.split(version)
            package = file_of(make_dwarf.package(version))
            key = struct.pack("<Q", make_dwarf.SPLIT_ID)
            wrong = {name: content.replace(key, bytes(8))
                     for name, content in other.items()}
            self.assertNotEqual(wrong, other)
            cases: list[tuple[dict[str, bytes], bool]] = [
                ({"split.dwo": file_of(other)}, True), ({"file.dwp": package}, True),
                ({"split.dwo": package}, False), ({"split.dwo": file_of(wrong)}, False),
                ({"file.dwp": file_of(other)}, False), ({}, False),
                ({"split.dwo": file_of(other), "file.dwp": file_of(wrong)}, True),
            ]
            for others, is_found in cases:
                with self.subTest(version=version, others=list(others)):
                    self.assertEqual(calls_with(skeleton, others),
                                     EXPECTED if is_found else ["0xff0 ?"])

    def test_what_does_not_have_the_other_part_is_freed(self) -> None:
        """Units that were passed over, too."""
        for version in (4, 5):
            key = struct.pack("<Q", make_dwarf.SPLIT_ID)
            wrong = {name: content.replace(key, bytes(8))
                     for name, content in make_dwarf.split(version).items()}
            with self.subTest(version=version), \
                 tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "file")
                path.write_bytes(file_of(make_dwarf.skeleton(version)))
                Path(folder, "split.dwo").write_bytes(file_of(wrong))
                self.assertEqual(read_inlined(path, 0xFF0, 0x1048, leaks=True),
                                 ["0xff0 ?"])

    def test_an_index_of_a_package_that_is_wrong(self) -> None:
        """Then nothing is known."""
        skeleton = file_of(make_dwarf.skeleton(5))
        package = make_dwarf.package(5)
        index = package[b".debug_cu_index"]
        for wrong in (index[:-1], index[:15], struct.pack("<I", 3) + index[4:],
                      index[:12] + struct.pack("<I", 3) + index[16:],
                      index[:12] + struct.pack("<I", 2**32 - 1) + index[16:],
                      index[:4] + struct.pack("<I", 2**32 - 1) + index[8:],
                      index[:-4] + struct.pack("<I", 1000)):
            with self.subTest(wrong=wrong):
                package[b".debug_cu_index"] = wrong
                found = calls_with(skeleton, {"file.dwp": file_of(package)})
                self.assertEqual(found, ["0xff0 ?"])

    def test_templates_of_lambdas(self) -> None:
        """gcc shows the same text for all lambdas that take an int; others, too, but they
        have names for the linker, which differ."""
        source = SOURCE / "callgrind" / "tests" / "inlined" / "inlined_templates.cpp"
        for options in ("-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf"):
            with self.subTest(options=options), \
                 tempfile.TemporaryDirectory() as folder:
                program = Path(folder, "program")
                subprocess.run(["g++", "-O2", "-g", *options.split(), str(source), "-o",
                                program], cwd=folder, check=True)
                calls = " ".join(calls_of_main(program))
                self.assertEqual(set(re.findall(r"shapes::.*?(?=\|)", calls)),
                                 MADE_OF_LAMBDAS)

    def test_split_by_compilers(self) -> None:
        """As if it were in one file; also out of a package."""
        source = SOURCE / "callgrind" / "tests" / "inlined" / "inlined_scopes.cpp"
        for compiler, version in itertools.product(
            filter(shutil.which, ("g++", "clang++")), (4, 5)
        ):
            with self.subTest(compiler=compiler, version=version), \
                 tempfile.TemporaryDirectory() as folder:
                self.check_split(compiler, version, source, Path(folder))

    def check_split(self, compiler: str, version: int, source: Path,
                    folder: Path) -> None:
        def built(name: str, *options: str) -> list[str]:
            for step in ((str(source), "-c", "-o", "unit.o"), ("unit.o", "-o", name)):
                subprocess.run([compiler, "-O2", "-g", f"-gdwarf-{version}", *options,
                                *step], cwd=folder, check=True)
            return calls_of_main(folder / name)

        whole = built("whole")
        self.assertIn("shapes::Box<int>::twice", " ".join(whole))
        self.assertEqual(built("split", "-gsplit-dwarf"), whole)
        for packager in filter(shutil.which, ("dwp", "llvm-dwp")):
            made = subprocess.run([packager, "-e", "split", "-o", "split.dwp"],
                                  cwd=folder, capture_output=True, check=False)
            # At version 5, binutils 2.40 crashes and 2.44 makes nothing, without a word.
            if made.returncode != 0 or not (folder / "split.dwp").exists():
                continue
            (folder / "unit.dwo").rename(folder / "away")
            self.assertEqual(calls_of_main(folder / "split"), whole, packager)
            (folder / "away").rename(folder / "unit.dwo")

    def test_a_type_that_is_its_own(self) -> None:
        """No lambda is found."""
        sections = make_dwarf.sections(4)
        made = make_dwarf.entries(4)
        pointer = bytes([make_dwarf.POINTER, 0, make_dwarf.TYPE])
        number = made.abbreviations[made.abbreviations.index(pointer) - 1]
        info = sections[b".debug_info"]
        # Before it ends the class of the lambda, and an entry that refers to a text.
        (at,) = (found.end() - 5 for found in
                 re.finditer(rb"\0[^\0].{4}" + bytes([number]) + b".{4}", info, re.S))
        sections[b".debug_info"] = (info[:at + 1] + struct.pack("<I", at)
                                    + info[at + 5:])
        lines = calls_in(sections)
        self.assertEqual(lines, [line.replace("<lambda#1>*", "<lambda()>*")
                                 for line in EXPECTED])

    def test_without_names(self) -> None:
        sections = make_dwarf.sections(4)
        sections[b".debug_str"] = b"\0"
        self.assertEqual([line.split()[0] for line in calls_in(sections)],
                         [line.split()[0] for line in EXPECTED])

    def test_without_abbreviations(self) -> None:
        sections = make_dwarf.sections(4)
        del sections[b".debug_abbrev"]
        self.assertEqual(calls_in(sections), ["0xff0 ?"])

    def test_a_unit_that_breaks_off(self) -> None:
        """It tells nothing, not a part: that might be wrong."""
        sections = make_dwarf.sections(4)
        info = sections[b".debug_info"]
        for lost in (3, 9, 30):
            with self.subTest(lost=lost):
                left = len(info) - lost
                sections[b".debug_info"] = struct.pack("<I", left - 4) + info[4:left]
                self.assertEqual(calls_in(sections), ["0xff0 ?"])

    def test_a_unit_that_is_not_known_is_passed_over(self) -> None:
        sections = make_dwarf.sections(4)
        unknown = struct.pack("<IH", 9, 99) + bytes(7)
        info = sections[b".debug_info"]
        for content in (unknown + info, info + unknown):
            sections[b".debug_info"] = content
            self.assertEqual(calls_in(sections), EXPECTED)

    def test_an_entry_that_is_its_own_origin(self) -> None:
        sections = make_dwarf.sections(4)
        made = make_dwarf.entries(4)
        # The entry of the second definition refers to a specification: now to itself.
        specification = bytes([make_dwarf.SPECIFICATION, make_dwarf.REF4])
        self.assertEqual(made.abbreviations.count(specification), 1)
        number = 1 + made.abbreviations[:made.abbreviations.index(
            specification)].count(b"\0\0")
        info = sections[b".debug_info"]
        at = [place for place in range(11, len(info) - 6)
              if info[place] == number and info[place + 5] == 21]
        self.assertEqual(len(at), 1)
        sections[b".debug_info"] = (info[:at[0] + 1] + struct.pack("<I", at[0])
                                    + info[at[0] + 5:])
        lines = calls_in(sections)
        self.assertIn("0x1010 |||21", lines)
