#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The flame graph library of the HTML page: which packages it is made of, and fetching
# them when the project is built.
#
# Owns: names, versions and checksums of the packages, and which of their files a page
# needs.  Relies on `npm pack` for fetching.  Nothing of a package is executed here, and a
# package with another checksum is not unpacked.
#
#     flame_graph_library.py FOLDER     puts the library into FOLDER, if it is not there
#
# The file `provided` says that everything is there; it is what `make` depends on.
#
# Packages that are in FOLDER already (NAME-VERSION.tgz, as `npm pack` calls them) are
# used, so that a build without network can have the library too.  A build without the
# library only lacks `callgrind_export --to html`: one line says so; it is no error.

"""Fetch the flame graph library for the HTML page."""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER_VARIABLE = "CALLGRIND_FLAME_GRAPH"  # where the page's writer looks first
SECONDS = 60


class Package(NamedTuple):
    """One npm package; the checksum is that of the registry, base64 of a SHA-512."""

    name: str
    version: str
    checksum: str
    files: dict[str, str]  # in the package: in the folder

    @property
    def archive(self) -> str:
        return f"{self.name}-{self.version}.tgz"


PACKAGES = (
    Package(
        "d3",
        "7.9.2",
        "ZKb/mONPVKzaO5UlcWcwN8bS4ezvQaYu+bsou+XgNABdGC800kwH651ADTbbTxMPHW13UlvbQafdmJQ"
        "Dk1w7Mg==",
        {"package/dist/d3.min.js": "d3.js", "package/LICENSE": "d3.licence"},
    ),
    Package(
        "d3-flame-graph",
        "5.0.0",
        "ALZQ4at8Dex8HCoj9D5p5TY6gLNEc2vAZAy+NKO/6GLEfhYJmGxYuRClO6RPoplndyOHxQTPipdlGeM"
        "ggkjtnQ==",
        {
            "package/dist/d3-flamegraph.umd.min.js": "d3-flame-graph.js",
            "package/LICENSE": "d3-flame-graph.licence",
        },
    ),
)
SCRIPTS = ("d3.js", "d3-flame-graph.js")  # in the order in which a page needs them
LICENCES = ("d3.licence", "d3-flame-graph.licence")


class FetchError(Exception):
    """Why there is no library; one line."""


def has_checksum(archive: Path, package: Package) -> bool:
    digest = hashlib.sha512(archive.read_bytes()).digest()
    return base64.b64encode(digest).decode("ascii") == package.checksum


def fetch(package: Package, folder: Path) -> None:
    """The package's archive into the folder."""
    if not shutil.which("npm"):
        raise FetchError("npm is not installed")
    command = ["npm", "pack", "--silent", "--fetch-retries=0", "--ignore-scripts"]
    try:
        result = subprocess.run(
            [*command, f"{package.name}@{package.version}"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FetchError(f"npm did not fetch {package.name} in {SECONDS} s") from None
    if result.returncode or not (folder / package.archive).is_file():
        raise FetchError(f"npm cannot fetch {package.name} {package.version}")


def unpack(package: Package, archive: Path, folder: Path) -> None:
    if not has_checksum(archive, package):
        raise FetchError(f"{archive.name} does not have the checksum that is known of it")
    with tarfile.open(archive) as packed:
        for inside, name in package.files.items():
            source = packed.extractfile(inside)
            assert source is not None, inside
            new = folder / f"{name}.new{os.getpid()}"
            new.write_bytes(source.read())
            os.replace(new, folder / name)


def provide(folder: Path) -> None:
    """Put the library into the folder, if it is not there; FetchError on failure."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        stamp = folder / f"{package.name}.version"
        names = package.files.values()
        if all((folder / name).is_file() for name in names) and stamp.is_file():
            if stamp.read_text("ascii").strip() == package.checksum:
                continue
        with tempfile.TemporaryDirectory() as scratch:
            archive = folder / package.archive
            if not archive.is_file():
                fetch(package, Path(scratch))
                archive = Path(scratch) / package.archive
            unpack(package, archive, folder)
        stamp.write_text(package.checksum + "\n", "ascii")
    (folder / "provided").touch()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    folder = parser.parse_args().folder
    try:
        provide(folder)
    except FetchError as error:
        print(f"callgrind_export will do without --to html: {error}", file=sys.stderr)
    except OSError as error:
        print(f"flame_graph_library: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
