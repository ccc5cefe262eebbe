#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes tests/native/corpus: small files of each kind that the tool reads about code, as
# they should be, of which the fuzzing makes others.  To be run after a change of this
# file; a test compares.

"""Make the files that fuzzing starts from."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.native import make_dwarf, make_lines  # noqa: E402
from tests.native.test_eh_frame import cie, fde  # noqa: E402
from tests.sampler.hostile import jitdump, perf_map  # noqa: E402

CORPUS = Path(__file__).resolve().parent / "corpus"

EXECUTABLE, BITS, NOTE, STRINGS, NOBITS = 4, 1, 7, 3, 8
CODE = b"\x90" * 0x40
BUILD_ID = struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20))


def eh_frame() -> bytes:
    section = cie()
    for start in range(0x1000, 0x1040, 0x10):
        section += fde(section, start, 0x10)
    return section + bytes(4)


def versions() -> bytes:
    """CIEs of other versions and encodings, with all that augmentations have."""
    section = b""
    for version, text, data in (
        (1, b"", b""), (3, b"zR", b"\x03"), (1, b"zPLR", b"\x1b\0\0\0\0\x1b\x00"),
        (4, b"zRS", b"\x0a"), (1, b"zRB", b"\x01"),
    ):
        at = len(section)
        body = bytes([version]) + text + b"\0\x01\x78\x10" + bytes([len(data)]) + data
        section += struct.pack("<II", len(body) + 4, 0) + body
        extent = struct.pack("<QQ", 0x1000 + at, 0x10)
        section += struct.pack("<II", len(extent) + 4, len(section) + 4 - at) + extent
    return section + bytes(4)


def elf(with_notes: bool) -> bytes:
    """A file with a section of each sort that is looked at."""
    sections = [(b".text", BITS, EXECUTABLE, CODE),
                (b".plt", BITS, EXECUTABLE, CODE),
                (b".plt.sec", BITS, EXECUTABLE, CODE),
                (b".bss", NOBITS, EXECUTABLE, b""), (b".eh_frame", BITS, 0, eh_frame())]
    if with_notes:
        sections.append((b".note.gnu.build-id", NOTE, 0, BUILD_ID))
    return elf_of(sections)


def elf_of(given: list[tuple[bytes, int, int, bytes]]) -> bytes:
    """A file with these sections: names, types, flags and content."""
    sections = [(b"", 0, 0, b""), *given, (b".shstrtab", STRINGS, 0, b"")]
    names = b"\0".join(name for name, _, _, _ in sections) + b"\0"
    content, headers = b"", b""
    for name, kind, flags, data in sections:
        data = names if name == b".shstrtab" else data
        offset = 64 + len(content)
        at = 0 if name == b"" else names.index(name + b"\0")
        headers += struct.pack("<IIQQQQIIQQ", at, kind, flags, 0x1000 + offset - 64,
                               offset, len(data), 0, 0, 1, 0)
        content += data
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0x1000, 0, 64 + len(content), 0, 64, 56, 0, 64,
        len(sections), len(sections) - 1)
    return header + content + headers


def elf_with(sections: dict[bytes, bytes]) -> bytes:
    """Code, and these sections, by their names."""
    return elf_of([(b".text", BITS, EXECUTABLE, CODE),
                   *((name, BITS, 0, content) for name, content in sections.items())])


def dwarf(version: int) -> bytes:
    """Code, and debug information about it."""
    return elf_with(make_dwarf.sections(version))


def packed_dwarf() -> bytes:
    """As dwarf(5), packed, with the section that says which unit is where."""
    sections = make_dwarf.sections(5)
    ranges = make_dwarf.address_ranges((0x1000, 0x40))
    return elf_with({b".debug_aranges": ranges, **{
        name.replace(b".debug", b".zdebug"): make_dwarf.packed(content)
        for name, content in sections.items()}})


def lines() -> bytes:
    """Code, and its source lines."""
    first = make_lines.sequence(0x1000, (2, 10), (4, 11), (8, -3), end=6)
    second = make_lines.sequence(0x1020, (0, 7), (8, 1), end=8)
    return elf_with(make_lines.sections([
        make_lines.table([first, second]),
        make_lines.table([make_lines.sequence(0x1034, end=8)])]))


def split(version: int) -> bytes:
    """A file that is its own package, and its own file with the other part."""
    return elf_with({**make_dwarf.skeleton(version), **make_dwarf.package(version)})


def corpus() -> dict[str, bytes]:
    """The content of each file, by its name."""
    return {
        "elf/sections": elf(False), "elf/build_id": elf(True),
        "eh_frame/plain": eh_frame(), "eh_frame/versions": versions(),
        "dwarf/version_4": dwarf(4), "dwarf/version_5": dwarf(5),
        "dwarf/packed": packed_dwarf(),
        "lines/version_5": lines(),
        "split/version_4": split(4), "split/version_5": split(5),
        "perf_map/plain": perf_map(),
        "perf_map/odd": b"0x1000 10 f\n1000 0x20  two words\n\nffffffffffffffff 1 end\n"
        b"12 zz not\n1 1 a\0b\n2000 8 " + b"x" * 200 + b"\n3000 8 y",
        "jitdump/plain": jitdump(),
    }


def main() -> None:
    for name, content in corpus().items():
        path = CORPUS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
