# SPDX-License-Identifier: GPL-2.0-or-later
#
# A browser for tests: Chromium, driven through browser/driver.mjs.
#
# Owns: finding or installing what that needs, and the talk with the driver.  Chromium is
# the system's (Debian: chromium); playwright-core comes from npm into the build folder,
# in the version and with the checksum of browser/package-lock.json.

"""Drive a headless browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
DRIVER = HERE / "browser" / "driver.mjs"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL_SECONDS = 120


class Absent(Exception):
    """Why there is no browser here; one line."""


def chromium() -> str:
    wanted: Optional[str] = os.environ.get("CHROMIUM")
    for name in [wanted] if wanted else CHROMIUM_NAMES:
        found = shutil.which(name)
        if found:
            return found
    raise Absent("chromium is not installed")


def driver_folder() -> Path:
    """A folder in the build with the driver and its package."""
    folder = BUILD / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", "driver.mjs"):
        source, target = DRIVER.parent / name, folder / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            if name == "package-lock.json":
                shutil.rmtree(folder / "node_modules", ignore_errors=True)
            shutil.copyfile(source, target)
    if not (folder / "node_modules" / "playwright-core").is_dir():
        _install(folder)
    return folder


def _install(folder: Path) -> None:
    if not shutil.which("npm"):
        raise Absent("npm is not installed, which brings playwright-core")
    try:
        subprocess.run(
            ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_SECONDS,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise Absent("npm cannot install playwright-core") from None


class Browser:
    """One browser; each method is an action of driver.mjs."""

    def __init__(self) -> None:
        if not shutil.which("node"):
            raise Absent("node is not installed")
        program, folder = chromium(), driver_folder()
        self._process = subprocess.Popen(
            ["node", str(folder / "driver.mjs"), program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def ask(self, *request: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"the browser is gone, at {request}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{request}: {answer['error']}")
        return answer["ok"]

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.ask(name, *arguments)
