# SPDX-License-Identifier: GPL-2.0-or-later
#
# The package for Python, clients/python: built as it is published, installed, used.

"""callgrind-requests for Python."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.clients.contract import check_natively, check_under_the_tool
from tests.clients.fetched import (
    CLIENTS, content_of, copy_of, made_once, named_python, python_with, run,
)  # fmt: skip

PROGRAM = Path(__file__).resolve().parent / "programs" / "requests.py"
SOURCES = CLIENTS / "python"
BENCHMARK = "pytest-benchmark==5.2.3"
INTERPRETER = """
import os, sys, sysconfig
path = os.path.join(*sysconfig.get_config_vars("LIBDIR", "INSTSONAME"))
is_there = path.endswith(".so.1.0") and os.path.isfile(path)
print(os.path.realpath(path if is_there else sys.executable))
"""


def built() -> tuple[Path, Path]:
    """The source distribution of the package, and the wheel that is built of it alone."""
    content = content_of(SOURCES)
    builder = python_with("python-build", ["build==1.3.0"])
    with made_once("python-package", content + named_python()) as (folder, is_there):
        if not is_there:
            sources = copy_of(SOURCES, folder / "sources")
            words = [str(builder), "-m", "build", "--outdir", str(folder / "dist")]
            run([*words, str(sources)], folder, registry="Python's registry of packages")
        return (next((folder / "dist").glob("*.tar.gz")),
                next((folder / "dist").glob("*.whl")))


def python_with_client() -> Path:
    _, wheel = built()
    packages = ["pytest==8.4.2", BENCHMARK, str(wheel)]
    return python_with("python", packages, content_of(SOURCES))


def test_the_source_distribution_has_all_that_it_takes() -> None:
    sources, _ = built()
    with tarfile.open(sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "setup.py",
            "callgrind_requests/_requests.c", "callgrind_requests/client_request.h",
            "callgrind_requests/pytest_benchmark.py"} <= names


def test_the_wheel_serves_all_later_pythons() -> None:
    _, wheel = built()
    assert "-cp39-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = next(name for name in names if name.endswith("dist-info/METADATA"))
        metadata = archive.read(about).decode()
    assert "callgrind_requests/_requests.abi3.so" in names
    assert {"callgrind_requests/py.typed", "callgrind_requests/_requests.pyi"} <= {*names}
    assert any(name.endswith("/LICENSE") for name in names)
    assert "License-Expression: BSD-2-Clause\n" in metadata


def test_requests_natively(tmp_path: Path) -> None:
    command = [str(python_with_client()), str(PROGRAM)]
    check_natively(command, "/nowhere", tmp_path)


def test_requests_under_the_tool(tmp_path: Path) -> None:
    python = python_with_client()
    skipped = run([str(python), "-c", INTERPRETER], tmp_path).strip()
    version = run([str(python), "-c", "import sys; print(sys.version_info[:2])"],
                  tmp_path)
    if version < "(3, 12)":
        pytest.skip("no Python of 3.12 or later: functions have no names")
    command = [str(python), "-X", "perf", str(PROGRAM)]
    check_under_the_tool(command, skipped, tmp_path, "py::counted:.*")


@pytest.mark.parametrize("call, error", [
    ("dump_at('a\\0b')", "ValueError: embedded null byte"),
    ("add_obj_skip('a\\0b')", "ValueError: embedded null byte"),
    ("dump_at(3)", "TypeError: "),
    ("mark()", "TypeError: "),
])  # fmt: skip
def test_wrong_arguments(tmp_path: Path, call: str, error: str) -> None:
    program = f"import callgrind_requests as c; c.{call}"
    ended = subprocess.run([str(python_with_client()), "-c", program], cwd=tmp_path,
                           capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(error), ended.stderr


def test_a_text_that_utf8_cannot_say(tmp_path: Path) -> None:
    program = "import callgrind_requests as c; c.dump_at('\\udc80'); c.mark('\\ud800')"
    run([str(python_with_client()), "-c", program], tmp_path)


def test_measure_natively_is_a_call(tmp_path: Path) -> None:
    program = ("import sys, callgrind_requests as c;"
               "sys.settrace(trace := lambda *a: None);"
               "print(c.measure('name', max, 1, 5, key=lambda n: -n), "
               "sys.gettrace() is trace)")
    said = run([str(python_with_client()), "-c", program], tmp_path)
    assert said == "1 True\n"


def test_the_plugin_changes_nothing_natively(tmp_path: Path) -> None:
    """pytest-benchmark times as ever, and prints its table."""
    (tmp_path / "test_it.py").write_text("def test_it(benchmark): benchmark(len, [])\n")
    words = [str(python_with_client()), "-m", "pytest", "--benchmark-max-time=0.01",
             "-p", "callgrind_requests.pytest_benchmark", "-p", "no:cacheprovider"]
    said = run(words, tmp_path)
    assert "Min" in said and "1 passed" in said, said
