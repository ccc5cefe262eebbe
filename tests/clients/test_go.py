# SPDX-License-Identifier: GPL-2.0-or-later
#
# The package for Go, clients/go: vetted for each machine, built, used.

"""callgrind_requests for Go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.contract import check_natively, check_under_the_tool
from tests.clients.fetched import (
    CLIENTS, content_of, copy_of, made_once, needed, run,
)  # fmt: skip
from tests.go_tool import VARIABLES

SOURCES = CLIENTS / "go"
PROGRAM = Path(__file__).resolve().parent / "programs" / "requests.go"
NO_C = {**VARIABLES, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"}


def module_with(name: str, *files: Path) -> Path:
    """A folder with a module of these files that can import the package."""
    go = needed("go")
    content = content_of(SOURCES) + "".join(file.read_text() for file in files)
    with made_once(name, content) as (folder, is_there):
        if not is_there:
            copy_of(SOURCES, folder / "client")
            for file in files:
                (folder / file.name).write_bytes(file.read_bytes())
            run([go, "mod", "init", "counted"], folder, NO_C)
            run([go, "mod", "edit", "-require=callgrind_requests@v0.1.0",
                 "-replace=callgrind_requests=./client"], folder, NO_C)
        return folder


@pytest.mark.parametrize("system, machine", [
    ("linux", "amd64"), ("linux", "arm64"), ("linux", "386"), ("darwin", "arm64"),
])  # fmt: skip
def test_it_is_vetted(system: str, machine: str) -> None:
    """Also that what is written in assembly takes the arguments that Go passes."""
    run([needed("go"), "vet", "."], SOURCES, {**NO_C, "GOOS": system, "GOARCH": machine})


def test_it_is_formatted() -> None:
    assert run([needed("gofmt"), "-l", "."], SOURCES) == ""


def program() -> Path:
    folder = module_with("go-program", PROGRAM)
    run([needed("go"), "build", "-o", "requests", "."], folder, NO_C)
    return folder / "requests"


def test_requests_natively(tmp_path: Path) -> None:
    check_natively([str(program())], "/nowhere", tmp_path)


def test_requests_under_the_tool(tmp_path: Path) -> None:
    path = str(program())
    check_under_the_tool([path], path, tmp_path, r"main\.counted", {"GOMAXPROCS": "1"})
