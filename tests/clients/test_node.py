# SPDX-License-Identifier: GPL-2.0-or-later
#
# The package for node, clients/node: packed as it is published, installed of that, used.

"""callgrind-requests for node."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.clients.contract import check_natively, check_under_the_tool
from tests.clients.fetched import (
    CLIENTS, content_of, copy_of, made_once, needed, run,
)  # fmt: skip
from tests.clients.measured import measure

SOURCES = CLIENTS / "node"
PROGRAM = Path(__file__).resolve().parent / "programs" / "requests.js"
NAMES = ("--perf-basic-prof", "--interpreted-frames-native-stack")


def node() -> str:
    return run([needed("node"), "-p", "process.execPath"], CLIENTS).strip()


def installed() -> Path:
    """A folder in which the package is installed as a user installs it."""
    npm, headers = needed("npm"), Path(node()).parents[1]
    if not (headers / "include" / "node" / "node_api.h").is_file():
        pytest.skip("node's headers are not installed")
    content = content_of(SOURCES) + PROGRAM.read_text()
    with made_once("node-package", content) as (folder, is_there):
        if not is_there:
            sources = copy_of(SOURCES, folder / "sources")
            run([npm, "pack", "--pack-destination", str(folder)], sources)
            (folder / "package.json").write_text("{}")
            run([npm, "install", "--no-audit", "--no-fund", "--offline",
                 "./callgrind-requests-0.1.0.tgz"], folder,
                {"npm_config_nodedir": str(headers)})
            (folder / PROGRAM.name).write_bytes(PROGRAM.read_bytes())
        return folder


def test_the_package_has_all_that_it_takes() -> None:
    with tarfile.open(installed() / "callgrind-requests-0.1.0.tgz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names == {"LICENSE", "README.md", "binding.gyp", "client_request.h",
                     "index.d.ts", "index.js", "package.json", "requests.c"}


def test_its_requests_are_those_for_python() -> None:
    """Each package is published alone, so each has the file."""
    ours = (SOURCES / "client_request.h").read_bytes()
    python = CLIENTS / "python" / "callgrind_requests" / "client_request.h"
    assert ours == python.read_bytes()


def test_requests_natively(tmp_path: Path) -> None:
    check_natively([node(), str(installed() / PROGRAM.name)], "/nowhere", tmp_path)


def test_requests_under_the_tool(tmp_path: Path) -> None:
    path = node()
    command = [path, *NAMES, "--single-threaded", str(installed() / PROGRAM.name)]
    check_under_the_tool(command, path, tmp_path, r"\w+:[~^+*]?counted .*")


MEASURED = """
const { measure } = require('callgrind-requests');
(async () => {
  console.log(measure('plain', () => 5));
  console.log(await measure('later', async () => { await null; return 6; }));
  try { measure('throws', () => { throw new Error('thrown'); }); }
  catch (error) { console.log(error.message); }
  await measure('rejects', async () => { throw new Error('rejected'); })
    .catch((error) => console.log(error.message));
})();
"""


def test_what_is_measured(tmp_path: Path) -> None:
    program = installed() / "measured.js"
    program.write_text(MEASURED, encoding="utf-8")
    ran = measure([node(), str(program)], tmp_path / "run")
    assert ran.said.split() == ["5", "6", "thrown", "rejected"]
    names = [name for name, part in ran.parts() if part.header.thread in (None, 1)]
    assert names == ["plain", "later"]
    assert run([node(), str(program)], tmp_path) == ran.said


def test_what_is_no_string(tmp_path: Path) -> None:
    program = "require('callgrind-requests').dumpAt(3)"
    ended = subprocess.run([node(), "-e", program], cwd=installed(), text=True,
                           capture_output=True, check=False)
    assert ended.returncode == 1
    assert "TypeError: the text must be a string" in ended.stderr
