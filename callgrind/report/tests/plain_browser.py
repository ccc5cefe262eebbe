# SPDX-License-Identifier: GPL-2.0-or-later
#
# When a page has opened by itself: in a Chromium that has shown another page before, and
# that no debugger watches until the page is done.  The first page of a browser waits for
# the browser's own start, which takes longer than most pages and is no cost of theirs.
# Playwright's, which drives the tests, keeps all that the browser reads.

"""How long a page takes to open."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from callgrind.report.tests.browser_session import chromium

LEFT_ALONE = 4  # seconds, for the browser to start, and before a page's marks are read
OTHER_PAGE = "data:text/html,<p>another page</p>"
MARKS = """new Promise((done) => {
  const look = () => (document.documentElement.dataset.state === "ready"
    ? done(["drawn", "ready"].map((name) =>
      performance.getEntriesByName(name)[0].startTime)) : setTimeout(look, 100));
  look();
})"""


class PlainChromium:
    """A browser that is spoken to through two pipes, in Chromium's own protocol."""

    def __init__(self, profile: str) -> None:
        theirs, self._requests = os.pipe()
        answers, theirs_too = os.pipe()
        self._answers = os.fdopen(answers, "rb")
        self._last = 0
        self._process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs} 4>&{theirs_too}', "sh", chromium(),
             "--headless", "--remote-debugging-pipe", "--window-size=1440,900",
             f"--user-data-dir={profile}",
             *(["--no-sandbox"] if os.getuid() == 0 else []), "about:blank"],
            stderr=subprocess.DEVNULL, pass_fds=(theirs, theirs_too))
        os.close(theirs)
        os.close(theirs_too)

    def close(self) -> None:
        self.ask("Browser.close")
        self._process.wait()
        os.close(self._requests)
        self._answers.close()

    def ask(self, method: str, session: str = "", **parameters: Any) -> Any:
        self._last += 1
        request = {"id": self._last, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        os.write(self._requests, json.dumps(request).encode() + b"\0")
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == self._last:
                return answer["result"]

    def _message(self) -> bytes:
        found = b""
        while not found.endswith(b"\0"):
            byte = self._answers.read(1)
            if not byte:
                raise EOFError("the browser is gone")
            found += byte
        return found[:-1]


def opening_times(page: Path) -> tuple[float, float]:
    """Seconds until it is drawn, with its numbers, and until all else is there."""
    with tempfile.TemporaryDirectory() as profile:
        browser = PlainChromium(profile)
        browser.ask("Target.createTarget", url=OTHER_PAGE)
        time.sleep(LEFT_ALONE)
        target = browser.ask("Target.createTarget", url=page.as_uri())["targetId"]
        time.sleep(LEFT_ALONE)
        session = browser.ask("Target.attachToTarget", targetId=target,
                              flatten=True)["sessionId"]
        found = browser.ask("Runtime.evaluate", session, expression=MARKS,
                            awaitPromise=True, returnByValue=True)
        browser.close()
    drawn, ready = found["result"]["value"]
    if ready > 1000 * LEFT_ALONE:
        print("  (the page was looked at before it was done)")
    return drawn / 1000, ready / 1000
