#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the table of docs/manual.md that says, of each option of stock callgrind, what has
# become of it here, and of each option of ours whether stock has it.
#
#    option_table.py [--write]        VG_BUILD=folder of the build, default build/
#
# Prints the table, or puts it between the markers in docs/manual.md.  Both `--help` texts
# are asked, and of what ours does not list, the tool itself is.
#
# Owns: the verdicts, and what is said of options that take more here than in stock.
# Relies on tests/build/built.py for where the two tools are.

"""The table of options: stock's and ours."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.build.built import IN_PLACE, SOURCE, STOCK_LAUNCHER  # noqa: E402
from tests.small_program import small_program  # noqa: E402

MANUAL = SOURCE / "docs" / "manual.md"
MARKER = "<!-- option table -->"

TAKEN = "as there"
LATER = "refused by name"
WITHOUT_EFFECT = "accepted without effect"
OURS = "only here"
UNLISTED = "as there, where `--help` does not list it"
REFUSED_BUT_NO = "refused, except `no`"

# Options that take other values here than in stock, and what the difference is.  An entry
# that is not needed any more fails the test, as one that is missing does.
EXTENDED = {
    "--instr-atstart": "also `inherit`",
}

# A value of an option for the question whether the tool takes it.
SAMPLE_VALUES = {"<f>": "file", "<func>": "f", "<func:args>": "f:size=1",
                 "<function>": "f", "<BB number>": "1",
                 # Nothing is made there.
                 "<dir>": "/dev/null/folder"}


class TableError(Exception):
    """An option of stock that is neither taken nor refused by name, and the like."""


def help_of(launcher: Path) -> str:
    """What is said of the tool's own options."""
    text = subprocess.run(
        [str(launcher), "--tool=callgrind", "--help-debug"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    user = text.partition("user options for Callgrind:")[2]
    debug = text.partition("debugging options for Callgrind:")[2]
    if not user or not debug:
        raise TableError(f"{launcher} --help-debug: no options of callgrind in it")
    end = re.compile(r"^  \S", re.MULTILINE)
    return end.split(user, maxsplit=1)[0] + end.split(debug, maxsplit=1)[0]


def forms(text: str) -> dict[str, str]:
    """Each option, as it is written, by its name; `--separate-recs<n>` is one, too."""
    found: dict[str, str] = {}
    for word in re.findall(r"^    (--\S+(?: number>)?)", text, re.MULTILINE):
        name = re.sub(r"=.*", "", word)
        found[name] = word
    return found


def sample(form: str) -> str:
    """A use of the option, for the tool to judge."""
    name, equals, value = form.partition("=")
    name = re.sub(r"<.*>", "2", name)
    if "|" in value:
        value = value.split("|")[-1]
        value = SAMPLE_VALUES.get(value, value)
    elif value == "<size>,<assoc>,<line_size>":
        value = "32768,8,64"
    else:
        value = SAMPLE_VALUES.get(value, "1")
    return name + equals + value


def ask(launcher: Path, form: str) -> subprocess.CompletedProcess[str]:
    """Use the option, in a folder of its own: some options make files."""
    with tempfile.TemporaryDirectory(prefix="option_table.") as folder:
        return subprocess.run(
            [str(launcher.absolute()), "--command-line-only=yes", "--tool=callgrind",
             "--callgrind-out-file=/dev/null", sample(form), str(small_program())],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip


def answer_to(form: str) -> str:
    """What the tool says to an option that its help does not list."""
    done = ask(IN_PLACE, form)
    if "has no effect here" in done.stderr and done.returncode == 0:
        return WITHOUT_EFFECT
    if "not available in callgrind-exact yet" in done.stderr:
        return LATER
    raise TableError(
        f"{form}: stock has it, but here it is neither taken nor refused by name"
    )


def verdict(name: str, stock_form: str, ours: dict[str, str]) -> str:
    if name not in ours:
        return answer_to(stock_form)
    differs = ours[name].partition("=")[2] != stock_form.partition("=")[2]
    if differs != (name in EXTENDED):
        raise TableError(
            f"{name}: stock takes {stock_form}, here it is {ours[name]}; "
            f"EXTENDED in {Path(__file__).name} has to say so, and only then"
        )
    return f"extended: {EXTENDED[name]}" if differs else TAKEN


def is_taken_by(launcher: Path, form: str) -> bool:
    return ask(launcher, form).returncode == 0


def verdict_on_ours(form: str) -> str:
    """Of an option that stock's help does not list."""
    if is_taken_by(STOCK_LAUNCHER, form):
        return UNLISTED
    return OURS if is_taken_by(IN_PLACE, form) else REFUSED_BUT_NO


def rows() -> list[tuple[str, str]]:
    stock, ours = forms(help_of(STOCK_LAUNCHER)), forms(help_of(IN_PLACE))
    # What is listed only as accepted without effect is asked as if it were not.
    listed = {name: form for name, form in ours.items() if not name.startswith("--ct-v")}
    table = [(form, verdict(name, form, listed)) for name, form in stock.items()]
    table += [
        (form, verdict_on_ours(form))
        for name, form in listed.items()
        if name not in stock
    ]
    return table


def table() -> str:
    lines = ["| option | here |", "|---|---|"]
    for form, said in rows():
        escaped = form.replace("|", "\\|")
        lines.append(f"| `{escaped}` | {said} |")
    return "\n".join(lines) + "\n"


def pieces_of_manual() -> tuple[str, str, str]:
    """What stands before the table, the table, and what stands behind it."""
    parts = MANUAL.read_text(encoding="utf-8").split(MARKER + "\n")
    if len(parts) != 3:
        raise TableError(f"{MANUAL} has not got two lines {MARKER}")
    return parts[0], parts[1], parts[2]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/manual.md")
    options = parser.parse_args(arguments)
    try:
        text = table()
        if not options.write:
            print(text, end="")
            return 0
        before, _, behind = pieces_of_manual()
    except (TableError, OSError, subprocess.SubprocessError) as error:
        print(f"option_table.py: {error}", file=sys.stderr)
        return 2
    whole = f"{before}{MARKER}\n{text}{MARKER}\n{behind}"
    MANUAL.write_text(whole, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
