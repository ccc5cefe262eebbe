# SPDX-License-Identifier: GPL-2.0-or-later
#
# A browser for tests: Chromium, driven through browser/driver.mjs.
#
# Owns: finding the browser, and the talk with the driver.  Chromium is the system's
# (Debian: chromium); playwright-core and axe-core, which judges accessibility, come from
# npm (npm_packages.py).

"""Drive a headless browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Optional

from callgrind.report.tests.npm_packages import Absent, npm_folder

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    wanted: Optional[str] = os.environ.get("CHROMIUM")
    for name in [wanted] if wanted else CHROMIUM_NAMES:
        found = shutil.which(name)
        if found:
            return found
    raise Absent("chromium is not installed")


class Browser:
    """One browser; each method is an action of driver.mjs."""

    def __init__(self) -> None:
        program = chromium()
        folder = npm_folder("browser", "playwright-core and axe-core")
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
        self._process.wait(600)
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
