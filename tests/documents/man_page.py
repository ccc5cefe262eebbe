#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the man page docs/man/callgrind-exact.1 of docs/manual.md, so that the two say the
# same.  Only that much of Markdown is understood as the manual uses.
#
#    man_page.py [--write]
#
# Owns: which chapters go into the page, and how they are set in roff.

"""The tool's man page, from its manual."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Iterator, Optional, Sequence

SOURCE = Path(__file__).resolve().parent.parent.parent
MANUAL = SOURCE / "docs" / "manual.md"
PAGE = SOURCE / "docs" / "man" / "callgrind-exact.1"

# Chapters of the manual; the others are for the screen.
CHAPTERS = (
    "Options",
    "Events",
    "Skipping code",
    "Starting in the middle",
    "Client requests",
    "Monitor commands",
    "Files",
    "Call trees",
    "Jumps",
    "Names",
    "Threads, processes and signals",
    "Messages",
    "Limits",
)
LEFT_OUT = ("Stock's options and ours",)

BEGINNING = """\
.\\" SPDX-License-Identifier: GPL-2.0-or-later
.\\" Made of docs/manual.md by tests/documents/man_page.py --write; change that one.
.TH CALLGRIND\\-EXACT 1 "" "callgrind\\-exact" "User Commands"
.SH NAME
callgrind\\-exact \\- count what a program executes, by function, line and call
.SH SYNOPSIS
.B valgrind \\-\\-tool=callgrind
.RI [ options ]
.I program
.RI [ arguments ]
.SH DESCRIPTION
Valgrind's tool callgrind, written anew.
It counts every instruction that a program executes, follows its calls, and writes a
profile in the callgrind format, which
.BR callgrind_report (1),
.BR callgrind_annotate (1)
and KCachegrind read.
"""
END = """\
.SH SEE ALSO
.BR valgrind (1),
.BR callgrind_report (1),
.BR callgrind_annotate (1),
.BR callgrind_control (1)
"""


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def inline(text: str) -> str:
    """Code becomes bold, emphasis italic, a link its words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.replace("\\|", "|"))
    out: list[str] = []
    for index, piece in enumerate(text.split("`")):
        if index % 2:
            out.append(f"\\fB{escaped(piece)}\\fR")
        else:
            words = re.sub(r"\*\*([^*]+)\*\*", "\x01\\1\x03", piece)
            words = re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", "\x02\\1\x03", words)
            words = words.replace("\\*", "*")
            out.append(escaped(words))
    line = "".join(out)
    for mark, font in (("\x01", "\\fB"), ("\x02", "\\fI"), ("\x03", "\\fR")):
        line = line.replace(mark, font)
    return line


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def table(lines: Sequence[str]) -> Iterator[str]:
    """The first column as terms, the last one as their text, a default behind it."""
    titles = cells(lines[0])
    for line in lines[2:]:
        row = cells(line)
        yield ".TP"
        yield inline(row[0])
        text = inline(row[-1]) or "(nothing)"
        if "default" in titles:
            text += f" [{inline(row[titles.index('default')])}]"
        elif len(row) == 3:
            text = f"({inline(row[1])}) {text}"
        yield text


def block(lines: Sequence[str]) -> Iterator[str]:
    """One block of the manual: what stands between two empty lines."""
    if lines[0].startswith("|"):
        yield from table(lines)
    elif lines[0].startswith("    "):
        yield from (".PP", ".EX", *(escaped(line) for line in lines), ".EE")
    elif lines[0].startswith("- "):
        items = re.split(r"\n- ", "\n" + "\n".join(lines))[1:]
        for item in items:
            yield from (".IP \\(bu 2", inline(" ".join(item.split())))
    else:
        yield from (".PP", inline(" ".join(" ".join(lines).split())))


def blocks(text: str) -> Iterator[list[str]]:
    """Fenced code is one block, indented like other code, with its empty lines."""
    current: list[str] = []
    is_fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced:
            current.append("    " + line)
            continue
        elif line.strip() and not line.startswith("<!--"):
            current.append(line)
            continue
        if current:
            yield current
        current = []
    if current:
        yield current


def chapters(text: str) -> dict[str, str]:
    pieces = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2]))


def chapter(title: str, text: str) -> Iterator[str]:
    yield f'.SH "{escaped(title.upper())}"'
    sections = re.split(r"^### (.*)\n", text, flags=re.MULTILINE)
    for heading, section in zip(["", *sections[1::2]], sections[::2]):
        if heading in LEFT_OUT:
            continue
        if heading:
            yield f'.SS "{escaped(heading)}"'
        for lines in blocks(section):
            yield from block(lines)


def page() -> str:
    found = chapters(MANUAL.read_text(encoding="utf-8"))
    lines: list[str] = []
    for title in CHAPTERS:
        if title not in found:
            raise ValueError(f"{MANUAL} has no chapter '{title}'; see CHAPTERS")
        lines += chapter(title, found[title])
    return BEGINNING + "\n".join(lines) + "\n" + END


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/man")
    options = parser.parse_args(arguments)
    try:
        text = page()
    except (ValueError, OSError) as error:
        print(f"man_page.py: {error}", file=sys.stderr)
        return 2
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
