# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Firefox Profiler's own reader, as its project publishes it for the command line, on
# what we export: it brings the format up to its present version, and has each path with
# the cost that the tree has.

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from callgrind.report.tests.npm_packages import Absent, npm_folder
from callgrind.report.tests.timeline_examples import TIMELINE, hostile_timeline, stays
from callgrind_export import main
from tests.format.tree_examples import example, hostile
from tests.format.tree_maker import program
from tree_file.escape import unicode_text
from tree_file.model import Forest, Tree
from tree_file.reader import read_forest
from tree_file.timeline_model import TimedThread, Timeline
from tree_file.timeline_reader import read_timeline

PACKAGE = "@firefox-devtools/profiler-cli"
SECONDS_TO_START = 600
ALL_NODES = "1000000"
Paths = dict[tuple[str, ...], int]


def paths_of(forest: Forest, tree: Tree, event: int) -> Paths:
    """The inclusive cost of each path by names, as far as it has any."""
    found: Paths = {}
    path: list[str] = []
    inclusive = tree.nodes.inclusive(event)
    for node, depth in tree.nodes.walk():
        name = forest.functions[tree.nodes.functions[node]].name
        path[depth:] = [unicode_text(name)]
        if inclusive[node]:
            found[tuple(path)] = found.get(tuple(path), 0) + inclusive[node]
    return found


def paths_below(node: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[Any]:
    for child in node.get("children", ()):
        path = (*above, child["name"])
        yield path, child["totalSamples"]
        yield from paths_below(child, path)


class Reader:
    """The command line: a server that has read a profile, and questions to it.

    The server is started here, not by the command `load`, which gives it half a second.
    """

    def __init__(self, folder: Path) -> None:
        script = npm_folder("firefox", PACKAGE) / "node_modules" / PACKAGE
        self._command = ["node", str(script / "dist" / "profiler-cli.js")]
        self._environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": str(folder)}
        self._folder = folder
        self._session = 0
        self._server: Optional[subprocess.Popen[bytes]] = None
        if self._run("--version").returncode:
            raise Absent(f"this node cannot run {PACKAGE}")

    def open(self, profile: Path) -> None:
        self._session += 1
        socket = self._folder / f"{self._session}.sock"
        self._server = subprocess.Popen(
            [*self._command, "--daemon", str(profile), *self._of_session()],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # A question that comes before the socket is there takes the session for a dead
        # one, and clears it away.
        self._wait(socket.exists)
        self._wait(lambda: self._run("status", *self._of_session()).returncode == 0)

    def _of_session(self) -> list[str]:
        return ["--session", str(self._session)]

    def _wait(self, is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + SECONDS_TO_START
        while not is_so():
            if self._server is None or self._server.poll() is not None:
                raise AssertionError(f"{PACKAGE} has ended: the profile is not read")
            if time.monotonic() > until:
                raise AssertionError(f"{PACKAGE} is not ready after {SECONDS_TO_START} s")
            time.sleep(0.05)

    def close(self) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait()

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self._command, *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    def ask(self, *arguments: str) -> Any:
        result = self._run(*arguments, "--json", *self._of_session())
        assert result.returncode == 0, result.stdout + result.stderr
        return json.loads(result.stdout)

    def threads(self) -> list[str]:
        """The handles of all threads, in the order of the file."""
        processes = self.ask("profile", "info", "--all")["processes"]
        threads = [thread for process in processes for thread in process["threads"]]
        threads.sort(key=lambda thread: int(thread["threadIndex"]))
        return [thread["threadHandle"] for thread in threads]

    def paths(self, thread: str) -> Paths:
        options = ["--max-lines", ALL_NODES, "--thread", thread]
        answer = self.ask("thread", "samples-top-down", *options)
        return dict(paths_below(answer["regularCallTree"]))


class FirefoxReader(unittest.TestCase):
    folder: Path
    reader: Reader

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        try:
            self.reader = Reader(self.folder)
        except Absent as reason:
            self.skipTest(str(reason))

    def compare(self, content: bytes, event: int = 0) -> list[str]:
        tree, profile = self.folder / "a.tree", self.folder / "a.json"
        tree.write_bytes(content)
        forest = read_forest([tree])
        name = forest.events[event].name
        options = ["--to", "firefox", "--event", name, "-o", str(profile), str(tree)]
        self.assertEqual(main(options), 0)
        try:
            self.reader.open(profile)
            threads = self.reader.threads()
            self.assertEqual(len(threads), len(forest.trees))
            for thread, found in zip(threads, forest.trees):
                self.assertEqual(
                    self.reader.paths(thread), paths_of(forest, found, event)
                )
            return threads
        finally:
            self.reader.close()

    def test_the_example_by_each_event(self) -> None:
        for event in range(2):
            with self.subTest(event=event):
                self.compare(example(), event)

    def test_hostile_names_in_two_threads(self) -> None:
        self.assertEqual(len(self.compare(hostile())), 2)

    def test_a_program_in_c_and_a_deep_one_in_python(self) -> None:
        for like in ("c", "python"):
            with self.subTest(like=like):
                self.compare(program(like, 3000))

    def test_a_timeline_with_marks(self) -> None:
        """How long the thread was on each path, which is what its calls lasted."""
        for content in (TIMELINE.encode(), hostile_timeline()):
            found, profile = self.folder / "a.timeline", self.folder / "a.json"
            found.write_bytes(content)
            options = ["--to", "firefox", "-o", str(profile), str(found)]
            self.assertEqual(main(options), 0)
            timeline = read_timeline([found])
            try:
                self.reader.open(profile)
                for handle, thread in zip(self.reader.threads(), timeline.threads):
                    self.assertEqual(
                        self.reader.paths(handle), lasted(timeline, thread)
                    )
                    marks = self.reader.ask("thread", "markers", "--thread", handle)
                    self.assertEqual(marks["totalMarkerCount"], len(thread.marks))
            finally:
                self.reader.close()


def lasted(timeline: Timeline, thread: TimedThread) -> Paths:
    """How long the thread was within each path."""
    found: Paths = {}
    for begin, end, names in stays(timeline, thread):
        for depth in range(1, len(names) + 1):
            path = tuple(map(unicode_text, names[:depth]))
            found[path] = found.get(path, 0) + end - begin
    return found
