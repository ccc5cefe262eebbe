#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What does the page cost with millions of paths?

Makes trees of so many paths, a page of each with nothing bundled, with source lines and
with a timeline of so many calls, opens it in Chromium, zooms from the root down the
costliest frames, and goes through all views and tables. Prints seconds that pass, and
those of CPU time of the page's thread: until the numbers of all events are there; for the
median and the longest zoom with its tables; and for each other step. At the end stand
the medians of all runs, and the worst.

Before that, how long the page takes to open by its own clock, while no debugger is
attached: one keeps what the browser reads, which takes about as long as the page itself.
The browser has shown another page before: as the first page of a browser that was just
started, one without numbers takes a second, too, and that is no cost of the page. A page
of few paths is opened in turn with the others; it takes what no page can go below.

With --keep, pages are made in a folder and not measured. Pages that are named are
measured and not made; several take turns, so that an old and a new one can be compared
on a machine whose speed changes.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

# By what was done, the seconds and the CPU seconds of each run.
Table = Dict[str, List[Tuple[float, float]]]

SOURCE = Path(__file__).resolve().parents[3]
REPORT = SOURCE / "callgrind" / "report"
ZOOMS = 12
FILES, LINES = 40, 1000  # that many lines with a cost, in each of so many files
THREADS = 4
WITHIN = 4  # calls within a call of the timeline
FEW = 2000  # paths, of the page that shows what any page takes

sys.path[:0] = [str(SOURCE), str(REPORT)]

from callgrind.report.tests.browser_session import Browser  # noqa: E402
from callgrind.report.tests.plain_browser import opening_times  # noqa: E402
from tests.format.tree_maker import C_NAMES, EVENTS, program  # noqa: E402

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
INVERTED_ZOOM = """const [view] = state.views;
  zoomTo(view.childrenOf(state.focus).reduce((one, other) =>
    (view.cost(one, 0) > view.cost(other, 0) ? one : other)))"""
# To the costliest frame beside the middle one of a sandwich, which takes its place.
SANDWICH_CLICK = """const [view] = state.views.slice(%d);
  const frames = view.childrenOf(ROOT)
    .filter((frame) => view.functions[frame] !== state.fn);
  select(frames.reduce((one, other) =>
    (view.cost(one, 0) > view.cost(other, 0) ? one : other)), %d)"""
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
    "inverted zoom": INVERTED_ZOOM,
    "and again": INVERTED_ZOOM,
    "inverted search": "update({ search: 'hash' })",
    "sandwich": """update({ view: 'sandwich', fn: costliestFunction(), zoom: '',
      search: '' })""",
    "of a caller": SANDWICH_CLICK % (0, 0),
    "of a callee": SANDWICH_CLICK % (1, 1),
    "by name": "update({ order: 'name' })",
    "left-heavy": "update({ view: 'calls', order: 'heavy' })",
    "by files": "update({ tab: 'files', colour: 'file' })",
    "lines": "update({ tab: 'lines' })",
    "a source": "byId('lines').querySelector('td.name button').click()",
    "timeline": "update({ view: 'timeline', tab: 'frame', file: '', line: '' })",
    "a call": """const { timeline } = moments;
      moments.choose(timeline.longestWithin(timeline.firstCall()))""",
    "timeline zoom": "moments.zoomTo(moments.call)",
    "call search": "update({ search: 'hash' })",
    "next call": "goToMatch(1)",
}


def write_lines(folder: Path) -> Path:
    """A profile, whose sources are beside it."""
    lines = ["# callgrind format", "version: 1", "positions: line",
             "events: " + " ".join(name for name, _, _ in EVENTS)]
    for file in range(FILES):
        source = folder / f"source_{file}.c"
        source.write_text("   next = find(table, hash(word, length));\n" * LINES, "ascii")
        lines += [f"fl={source}", f"fn=f{file}"]
        lines += [f"{line} {1 + line * file} 1 {line}" for line in range(1, LINES + 1)]
    profile = folder / "profile"
    profile.write_text("\n".join(lines) + "\n", "ascii")
    return profile


def write_timeline(folder: Path, calls: int) -> Path:
    """Threads of calls that lie within each other, a few in each."""
    lines = ["callgrind-timeline 1", "creator a bench", "process 1 4711 0 ./demo",
             "limit 1"]
    lines += [f"function {number} 0 0 0 {name}" for number, name in enumerate(C_NAMES, 1)]
    draw = random.Random(1)
    for thread in range(1, THREADS + 1):
        found = timed_calls(calls // THREADS, draw)
        time = sum(step for _, _, step in found)
        lines += [f"thread {thread} 1 {thread} {min(thread - 1, 1)} 0 {time}",
                  f"calls {len(found)}"]
        lines += [f"{function} {duration} {step}" for function, duration, step in found]
    lines.append(f"end {calls // THREADS * THREADS} 0 0")
    timeline = folder / "timeline"
    timeline.write_text("\n".join(lines) + "\n", "ascii")
    return timeline


def timed_calls(count: int, draw: random.Random) -> list[tuple[int, int, int]]:
    """The function, duration and step of each, in the order of their ends."""
    found: list[tuple[int, int, int]] = []
    open_since = [0]  # by level, when the call began in which those that end now are
    ended = [0]  # by level, how many have, within it
    now, last = 0, 0
    while len(found) < count:
        begin, level = now, 0
        now += draw.randrange(20, 500)
        while len(found) < count:
            function = 1 + draw.randrange(len(C_NAMES))
            found.append((function, now - begin, now - last))
            last = now
            if level == len(ended):
                ended.append(0)
                open_since.append(begin)
            ended[level] += 1
            if ended[level] < WITHIN:
                break
            # The one around them ends, too.
            ended[level] = 0
            begin, open_since[level] = open_since[level], now
            level += 1
    return found


def export(tree: Path, page: Path, paths: int, *options: str) -> float:
    """Returns its CPU seconds."""
    before = os.times()
    subprocess.run(
        [sys.executable, str(REPORT / "callgrind_export.py"), "--to", "html",
         f"--max-frames={paths}", "-o", str(page), *options, str(tree)], check=True)
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


def make_page(like: str, paths: int, calls: int, page: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = folder / "tree"
        tree.write_bytes(program(like, paths))
        beside = ["--lines", str(write_lines(folder)), "--source",
                  "--timeline", str(write_timeline(folder, calls))]
        seconds = export(tree, page, paths, *beside)
    print(f"{paths} paths: exported in {seconds:.1f} s of CPU time,"
          f" {page.stat().st_size / 1e6:.1f} MB", flush=True)


def measure_in_turn(pages: Sequence[Path], runs: int, only_open: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        floor = Path(folder) / f"{FEW}-paths.html"
        make_page("c", FEW, FEW, floor)
        found: dict[Path, Table] = {page: {} for page in (floor, *pages)}
        for _ in range(runs):
            for page, table in found.items():
                rows = opened_alone(page)
                if not only_open and page != floor:
                    browser = Browser()
                    rows += measure(browser, page)
                    browser.close()
                print(f"{page.name}:", flush=True)
                for what, passed, used in rows:
                    table.setdefault(what, []).append((passed, used))
                    print(f"  {what:15} {passed:8.3f} s{cpu_time(used)}", flush=True)
    for page, table in found.items():
        print_medians(page, runs, table)


def opened_alone(page: Path) -> list[tuple[str, float, float]]:
    """Nobody can ask for CPU time while no debugger is there."""
    drawn, ready = opening_times(page)
    return [("alone: drawn", drawn, math.nan), ("alone: all", ready, math.nan)]


def cpu_time(seconds: float) -> str:
    return "" if math.isnan(seconds) else f" {seconds:8.3f} s of CPU time"


def print_medians(page: Path, runs: int, table: Table) -> None:
    print(f"{page.name}: median of {runs}, and the worst")
    for what, times in table.items():
        passed, used = zip(*times)
        print(f"  {what:15} {statistics.median(passed):8.3f} s {max(passed):8.3f} s"
              f"{cpu_time(statistics.median(used))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, nargs="+", default=[2_400_000, 5_000_000])
    parser.add_argument("--like", choices=("c", "python"), default="c")
    parser.add_argument("--calls", type=int, default=1_000_000, help="of the timeline")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only-open", action="store_true", help="without any click")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="make the pages there, and measure nothing")
    parser.add_argument("page", type=Path, nargs="*", help="measure these")
    options = parser.parse_args()
    for page in options.page:
        if not page.is_file():
            parser.error(f"there is no page {page}")
    if options.page:
        measure_in_turn([page.resolve() for page in options.page], options.runs,
                        options.only_open)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = options.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for paths in options.paths:
            page = folder / f"{options.like}-{paths}.html"
            make_page(options.like, paths, options.calls, page)
            if not options.keep:
                measure_in_turn([page], options.runs, options.only_open)


if __name__ == "__main__":
    main()
