#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What does the page cost with millions of paths?

Makes trees of so many paths, a page of each with nothing bundled, opens it in Chromium,
zooms from the root down the costliest frames, and goes through views and tables. Prints
seconds that pass, and those of CPU time of the page's thread: until the numbers of all
events are there; for the median and the longest zoom with its tables; and for each other
step.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent.parent
REPORT = SOURCE / "callgrind" / "report"
ZOOMS = 12

sys.path[:0] = [str(SOURCE), str(REPORT)]

from callgrind.report.tests.browser_session import Browser  # noqa: E402
from tests.format.tree_maker import program  # noqa: E402

# Does something, and waits until that is drawn; answers with the milliseconds.
TIMED = """(async () => {
  const before = performance.now();
  %s;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - before;
})()"""
# Zooms to the costliest child, or back to the root where there is none.
ZOOM = """const children = state.tree.childrenOf(state.focus)
    .filter((node) => state.tree.ends[node] > node + 1);
  const cost = (node) => state.tree.inclusiveCost(0, state.event, node);
  zoomTo(children.reduce((best, node) => best === ROOT || cost(node) > cost(best)
    ? node : best, ROOT))"""
# Each is done once, in this order: what is made for it is made then.
STEPS = {
    "all again": "showAll()",
    "functions": "update({ tab: 'functions' })",
    "objects": "update({ tab: 'objects' })",
    "search": "update({ search: 'hash' })",
    "next match": "goToMatch(1)",
    "a function": "showFunction(costliestFunction())",
    "other event": "await chooseEvent(1)",
    "inverted": "update({ view: 'inverted', zoom: '', search: '' })",
    "inverted zoom": """const [view] = state.views;
      zoomTo(view.childrenOf(ROOT).reduce((one, other) =>
        (view.cost(one, 0) > view.cost(other, 0) ? one : other)))""",
    "sandwich": "update({ view: 'sandwich', fn: costliestFunction(), zoom: '' })",
}


def export(tree: Path, page: Path, paths: int) -> float:
    """Returns its CPU seconds."""
    before = os.times()
    subprocess.run(
        [sys.executable, str(REPORT / "callgrind_export.py"), "--to", "html",
         f"--max-frames={paths}", "-o", str(page), str(tree)], check=True)
    after = os.times()
    return after.children_user - before.children_user


def measure(browser: Any, page: Path) -> list[tuple[str, float, float]]:
    """What was done, its seconds, and the CPU seconds of the page's thread."""
    used = browser.thread_seconds()  # which starts the browser
    before = time.monotonic()
    browser.go(str(page))
    rows = [("open", time.monotonic() - before, browser.thread_seconds() - used)]
    zooms = []
    for _ in range(ZOOMS):
        zooms.append(step(browser, ZOOM))
    passed, threads = (sorted(column) for column in zip(*zooms))
    rows.append(("median zoom", statistics.median(passed), statistics.median(threads)))
    rows.append(("longest zoom", passed[-1], threads[-1]))
    rows += [(what, *step(browser, action)) for what, action in STEPS.items()]
    return rows


def step(browser: Any, action: str) -> tuple[float, float]:
    """The seconds until it is drawn, and the CPU seconds of the page's thread."""
    used = browser.thread_seconds()
    seconds = browser.evaluate(TIMED % action) / 1000
    return seconds, browser.thread_seconds() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, nargs="+", default=[2_400_000, 5_000_000])
    parser.add_argument("--like", choices=("c", "python"), default="c")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree, page = Path(folder, "tree"), Path(folder, "page.html")
        for paths in options.paths:
            tree.write_bytes(program(options.like, paths))
            seconds = export(tree, page, paths)
            print(f"{paths} paths: exported in {seconds:.1f} s of CPU time,"
                  f" {page.stat().st_size / 1e6:.1f} MB")
            for _ in range(options.runs):
                browser = Browser()
                for what, passed, used in measure(browser, page):
                    print(f"  {what:13} {passed:8.3f} s {used:8.3f} s of CPU time")
                browser.close()


if __name__ == "__main__":
    main()
