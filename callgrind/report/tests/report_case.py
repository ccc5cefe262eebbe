# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of callgrind_report have in common: running it, and profiles for that.

"""Run callgrind_report in tests."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

from callgrind_report import main

REPORT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).resolve().parent / "data"
TINY = str(DATA / "tiny_default.out")
CACHE = str(DATA / "tiny_cache.out")
SCRIPT = REPORT / "callgrind_report.py"


def run(*arguments: str) -> tuple[int, str, str]:
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(
        io.StringIO()
    ) as errors:
        try:
            status = main(arguments)
        except SystemExit as left:
            status = int(left.code or 0)
    return status, output.getvalue(), errors.getvalue()


def document(*arguments: str) -> Any:
    status, output, errors = run("--json", *arguments)
    assert (status, errors) == (0, ""), errors
    return json.loads(output)


def table(*arguments: str) -> list[dict[str, str]]:
    status, output, errors = run("--csv", *arguments)
    assert (status, errors) == (0, ""), errors
    return list(csv.DictReader(io.StringIO(output)))
