# SPDX-License-Identifier: GPL-2.0-or-later
#
# What no header of the core declares, and what the linker leads to the tool, is in
# callgrind/core/ alone, and in the table of docs/core.md.

"""The room for what is used of the core beyond its headers."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Iterator

from tests.source_files import files_below

REPOSITORY = Path(__file__).resolve().parents[2]
ROOM = REPOSITORY / "callgrind" / "core"
TABLE = REPOSITORY / "docs" / "core.md"

COMMENT = re.compile(r"/\*.*?\*/", re.S)
# An external declaration, up to its end; it may hold a structure.
EXTERN = re.compile(r"^extern (?:[^;{]*\{[^}]*\})?[^;{]*;", re.M)
NAME = re.compile(r"VG_\(\w+\)|\b\w+(?=\)?\s*(?:\(|\[|;))")

# What belongs to the room, where it stands in code.
RAW = re.compile(
    r"__(?:wrap|real)_\w*|\bsecond_vg\w*|\bvg(?:Plain|ModuleLocal)_\w*|\bML_\(\w*\)"
    r"|\bextern [^;]*VG_\(\w+\)|\bHAVE_(?:VG|CORE|VEX|GDBSERVER|INITIAL_STACK)_\w+"
)


def code_of(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def sources() -> Iterator[Path]:
    """Those of the tool that are not in the room."""
    for path in files_below(REPOSITORY / "callgrind"):
        below = path.relative_to(REPOSITORY / "callgrind").parts
        if path.suffix in (".c", ".h") and below[0] not in ("core", "tests", "report"):
            yield path


def as_written(symbol: str) -> str:
    """A symbol of the linker's, as the core's sources write it."""
    for prefix, macro in (("vgPlain_", "VG_"), ("vgModuleLocal_", "ML_")):
        if symbol.startswith(prefix):
            return f"{macro}({symbol[len(prefix):]})"
    return symbol


def used_in(code: str) -> set[str]:
    """What a source of the room declares, or has led to it."""
    used = set(re.findall(r"__wrap_(\w*[a-zA-Z0-9])\b", code))
    used |= {f"vgPlain_{name}" for name in re.findall(r"^LEAD\((\w+),", code, re.M)}
    for declaration in EXTERN.findall(code):
        declared = NAME.search(re.sub(r"\{.*?\}", "", declaration, flags=re.S))
        assert declared is not None, declaration
        used.add(declared[0].replace("second_", "", 1))
    used |= {name.replace("second_", "", 1)
             for name in re.findall(r"\bsecond_vg\w*[a-zA-Z0-9]\b", code)}
    return {as_written(name) for name in used if not name.startswith("core_")}


def listed_in(table: str) -> list[str]:
    """The symbols of the first column."""
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


class Core(unittest.TestCase):
    maxDiff = None

    def test_no_other_room_knows_what_is_undeclared(self) -> None:
        plain = {name for name in listed_in(TABLE.read_text()) if "(" not in name}
        names = re.compile(r"\b(?:%s)\b" % "|".join(sorted(plain)))
        found = [
            f"{path.relative_to(REPOSITORY)}: {match[0]}"
            for path in sources()
            for pattern in (RAW, names)
            for match in pattern.finditer(code_of(path))
        ]
        self.assertEqual(found, [])

    def test_the_table_lists_what_is_used(self) -> None:
        used = set[str]()
        for path in files_below(ROOM):
            used |= used_in(code_of(path))
        listed = listed_in(TABLE.read_text(encoding="utf-8"))
        self.assertEqual(sorted(listed), sorted(used))

    def test_probes_of_the_table_are_configures(self) -> None:
        configure = (REPOSITORY / "configure.ac").read_text(encoding="utf-8")
        table = TABLE.read_text(encoding="utf-8")
        rows = [line for line in table.splitlines() if line.startswith("| `")]
        for row in rows:
            probes = re.findall(r"`((?:HAVE|CORE)_\w+)`", row.split("|")[4])
            with self.subTest(row=row.split("|")[1]):
                self.assertNotEqual(probes, [])
                for probe in probes:
                    self.assertIn(f"[{probe}]", configure)


class Planted(unittest.TestCase):
    """What would be found."""

    def test_names_that_belong_to_the_room(self) -> None:
        for code in (
            "void __wrap_vgPlain_write(void);",
            "VexTranslateResult r = __real_LibVEX_Translate(a);",
            "extern Int VG_(fd_hard_limit);",
            '__asm__("jmp vgPlain_disp_cp_xindir");',
            "ML_(canonicaliseTables)(info);",
            "#ifdef HAVE_VEX_CONTROL_SYMBOL",
        ):
            self.assertIsNotNone(RAW.search(code), code)
        for code in ("VG_(write)(fd, bytes, n);", "static Int second_width;"):
            self.assertIsNone(RAW.search(code), code)

    def test_uses(self) -> None:
        self.assertEqual(
            used_in(
                "void __wrap_vgModuleLocal_a(int x);\n"
                'LEAD(b, "");\n'
                "extern struct {\n   Int fd;\n} VG_(c);\n"
                "extern Bool VG_(d)(Addr* host,\n   Bool e);\n"
                "extern VexControl f;\nextern void g(void);\n"
                "extern FastLine VG_(h)[N];\nextern UInt second_vgPlain_i;\n"
                "extern UChar core_own;\n"
                '".globl __wrap_vgPlain_" #name\n'
            ),
            {"ML_(a)", "VG_(b)", "VG_(c)", "VG_(d)", "f", "g", "VG_(h)", "VG_(i)"},
        )
