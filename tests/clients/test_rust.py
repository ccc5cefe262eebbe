# SPDX-License-Identifier: GPL-2.0-or-later
#
# The crate for Rust, clients/rust: packed as it is published, built of that, used.

"""callgrind-requests for Rust."""

from __future__ import annotations

from pathlib import Path

from tests.clients.contract import check_natively, check_under_the_tool
from tests.clients.fetched import (
    CLIENTS, content_of, copy_of, made_once, needed, run,
)  # fmt: skip

SOURCES = CLIENTS / "rust"


def packed() -> Path:
    """The folder of the crate as a user gets it; cargo has built it of the package."""
    cargo = needed("cargo")
    with made_once("rust-crate", content_of(SOURCES)) as (folder, is_there):
        if not is_there:
            sources = copy_of(SOURCES, folder / "sources")
            words = [cargo, "package", "--offline", "--target-dir", str(folder / "out")]
            run([*words, "--allow-dirty"], sources)
        return folder / "out" / "package" / "callgrind-requests-0.1.0"


def example() -> Path:
    crate = packed()
    with made_once("rust-example", content_of(SOURCES)) as (folder, is_there):
        if not is_there:
            run([needed("cargo"), "build", "--offline", "--release", "--examples",
                 "--target-dir", str(folder)], crate)
        return folder / "release" / "examples" / "each_request"


def test_the_package_has_all_that_it_takes() -> None:
    crate = packed()
    assert {"Cargo.toml", "LICENSE", "README.md", "src", "examples"} <= {
        path.name for path in crate.iterdir()
    }


def test_its_example_and_its_tests() -> None:
    crate = packed()
    with made_once("rust-tests", content_of(SOURCES)) as (folder, is_there):
        if not is_there:
            said = run([needed("cargo"), "test", "--offline", "--target-dir",
                        str(folder)], crate)
            assert "1 passed" in said, said


def test_requests_natively(tmp_path: Path) -> None:
    check_natively([str(example())], "/nowhere", tmp_path)


def test_requests_under_the_tool(tmp_path: Path) -> None:
    program = str(example())
    check_under_the_tool([program], program, tmp_path, "each_request::counted")
