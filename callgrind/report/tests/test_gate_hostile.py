# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: folders of runs that somebody else has filled, that several processes
# use at once, and that are damaged.
#
# Nothing here waits for time: where two processes meet, one of them is stopped at the
# very call that matters.

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any, Callable, Iterator
from unittest import mock

import callgrind_gate
from callgrind.report.tests.gate_case import GateCase
from gate.run import Run
from gate.store import Store, opened

COMMAND = [sys.executable, callgrind_gate.__file__]


def content_of(folder: str) -> dict[str, bytes]:
    """Every plain file below a folder, by its path."""
    return {
        str(path): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


class HostileCase(GateCase):
    """`base` has the run c1, `gate-run` has c2, and `victim` is somebody else's."""

    def setUp(self) -> None:
        super().setUp()
        # Runs of commits that git does not know are as old as their measurement.
        clock = mock.patch("callgrind_gate.time.time", return_value=1.0)
        clock.start()
        self.addCleanup(clock.stop)
        self.assertEqual(self.run_fake({"a": "f=1"}, commit="c1"), 0)
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.assertEqual(self.run_fake({"a": "f=2"}, commit="c2"), 0)
        digest = "0" * 64
        for name in ("backup.gz", f"{digest}.gz", "c9.json", "notes.txt"):
            Path("victim").mkdir(exist_ok=True)
            Path("victim", name).write_text("precious")
        self.before = content_of("victim")

    def refused(self, said: str, *words: str) -> None:
        status, output, errors = self.gate(*words)
        self.assertEqual((status, output, errors.count("\n")), (2, "", 1), errors)
        self.assertIn(said, errors)
        self.assertEqual(content_of("victim"), self.before, words)

    def link(self, place: str, target: str) -> None:
        """A link in the place of a folder."""
        Path(place).rename(f"moved-{place.replace('/', '-')}")
        Path(place).symlink_to(target)


class Links(HostileCase):
    """Nothing outside of the folder is read, written or removed."""

    def test_of_the_inner_folders(self) -> None:
        for inner in ("data", "runs"):
            for target in ("../victim", str(self.folder / "victim")):
                with self.subTest(inner=inner, target=target):
                    self.link(f"base/{inner}", target)
                    said = f"base/{inner}: is a symbolic link"
                    self.refused(said, "accept", "base", "--keep=1")
                    os.unlink(f"base/{inner}")
                    Path(f"moved-base-{inner}").rename(f"base/{inner}")

    def test_of_those_of_a_run_that_is_written_anew(self) -> None:
        for inner in ("data", "runs"):
            self.link(f"gate-run/{inner}", "../victim")
            said = f"gate-run/{inner}: is a symbolic link"
            self.refused(said, "run", "a=costs f=1", "--valgrind", str(self.valgrind))
            self.refused(said, "merge", "gate-run", "base")
            self.refused("symbolic link", "compare", "base")
            self.refused("symbolic link", "accept", "base")
            os.unlink(f"gate-run/{inner}")
            Path(f"moved-gate-run-{inner}").rename(f"gate-run/{inner}")

    def test_of_the_folder_itself(self) -> None:
        """A whole baseline lies behind it, so that nothing else would stop `--keep`."""
        Path("base").rename("victim/base")
        Path("sub").mkdir()
        Path("base").symlink_to("victim/base")
        Path("sub/way").symlink_to("../victim")
        self.before = content_of("victim")
        for name in ("base", str(self.folder / "base"), "sub/way/base"):
            for words in (["accept", name, "--keep=1"], ["compare", name], ["log", name]):
                self.refused("is a symbolic link, which is not followed", *words)

    def test_of_the_mark(self) -> None:
        Path("base/callgrind_gate").rename("victim/mark")
        Path("base/callgrind_gate").symlink_to("../victim/mark")
        self.before = content_of("victim")
        self.refused("base/callgrind_gate: is no plain file", "accept", "base")
        self.refused("base/callgrind_gate: is no plain file", "compare", "base")

    def test_of_files_are_replaced_and_what_they_lead_to_stays(self) -> None:
        for place in ("base/runs/c1.json", *map(str, Path("base/data").iterdir())):
            os.unlink(place)
            Path(place).symlink_to("../../victim/notes.txt")
        self.refused("no plain file", "compare", "base")
        self.heals("c1")
        self.assertEqual(content_of("victim"), self.before)

    def heals(self, commit: str) -> None:
        self.assertEqual(self.run_fake({"a": "f=1"}, commit=commit), 0)
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.assertEqual(self.gate("compare", "base")[0], 0)

    def test_hard_links_are_never_written_through(self) -> None:
        for number, place in enumerate(Path("base").rglob("*.*")):
            os.link(place, f"victim/linked{number}")
            place.write_text("damaged")
        self.before = content_of("victim")
        self.heals("c1")
        self.assertEqual(self.gate("accept", "base", "--keep=1")[0], 0)
        self.assertEqual(content_of("victim"), self.before)

    def test_of_pages(self) -> None:
        Path("pages").symlink_to("victim")
        self.refused("pages: is a symbolic link", "compare", "base", "--pages=pages")

    def test_names_that_are_not_ours_are_never_removed(self) -> None:
        mine = ["base/data/backup.gz", "base/data/x", f"base/data/{'0' * 63}.gz",
                "base/runs/notes.txt", "base/runs/..json"]  # fmt: skip
        for name in mine:
            Path(name).write_text("mine")
        Path(f"base/data/{'1' * 64}.gz").mkdir()
        self.assertEqual(self.gate("accept", "base", "--keep=1")[0], 0)
        for name in mine:
            self.assertEqual(Path(name).read_text(), "mine")

    def test_a_folder_with_a_file_that_has_the_name_of_the_mark(self) -> None:
        """As a build folder has one."""
        Path("victim/callgrind_gate").write_text("#!/bin/sh\n")
        for inner in ("runs", "data"):
            Path("victim", inner).mkdir()
            Path("victim", inner, "file").write_text("precious")
        self.before = content_of("victim")
        said = "callgrind_gate: does not say callgrind_gate 1:"
        words = ["a=costs f=1", "--valgrind", str(self.valgrind)]
        self.refused(said, "run", "-o", "victim", *words)
        self.refused(said, "accept", "victim")
        self.refused(said, "compare", "victim")

    def test_a_folder_is_not_read_and_written_at_once(self) -> None:
        whole = content_of("gate-run")
        for words in (["merge", "gate-run", "base", "gate-run"],
                      ["accept", str(self.folder / "gate-run")]):  # fmt: skip
            self.refused("is read and written; name two folders", *words)
            self.assertEqual(content_of("gate-run"), whole)


class Swapped(HostileCase):
    """A folder that is replaced between check and use."""

    def test_what_was_opened_is_used(self) -> None:
        for inner in ("data", "runs"):
            store = Store("base")
            with opened([], store):
                run = store.read("c1")
                store.put(b"first")
                self.link(f"base/{inner}", "../victim")
                digest = store.put(b"second")
                store.write(run)
                store.keep_newest(1)
                self.assertEqual(store.commits(), ["c1"])
                with self.assertRaises(Exception):
                    store.get(digest)  # no run needed it
            self.assertEqual(content_of("victim"), self.before)
            os.unlink(f"base/{inner}")
            Path(f"moved-base-{inner}").rename(f"base/{inner}")

    def test_so_is_the_folder_of_both(self) -> None:
        Path("victim/data").mkdir()
        Path("victim/runs").mkdir()
        self.before = content_of("victim")
        store = Store("base")
        with opened([], store):
            self.link("base", "victim")
            store.put(b"content")
            store.write(store.read("c1"))
            store.keep_newest(1)
        self.assertEqual(content_of("victim"), self.before)


class NoFiles(HostileCase):
    """Pipes, devices and folders in the place of files: nobody waits for them."""

    def places(self) -> Iterator[Path]:
        yield Path("base/runs/c1.json")
        yield Path("base/data", self.stored("base", "c1").results["a"].counts + ".gz")

    def each(self, make: Callable[[Path], Any]) -> None:
        for place in list(self.places()):
            with self.subTest(place=place):
                good = place.read_bytes()
                place.unlink()
                make(place)
                self.refused(f"{place}: is no plain file", "compare", "base")
                self.assertEqual(self.run_fake({"a": "f=1"}, commit="c1"), 0)
                self.assertEqual(self.gate("accept", "base")[0], 0)
                self.assertEqual(self.gate("compare", "base")[0], 0)
                self.assertEqual(place.read_bytes(), good)

    def test_pipes(self) -> None:
        self.each(os.mkfifo)

    def test_devices(self) -> None:
        def make(place: Path) -> None:
            try:
                os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero
            except PermissionError:
                self.skipTest("no device can be made here")

        self.each(make)

    def test_folders_are_told(self) -> None:
        for place in list(self.places()):
            place.unlink()
            place.mkdir()
        self.refused("is no plain file", "compare", "base")
        self.assertEqual(self.run_fake({"a": "f=1"}, commit="c1"), 0)
        self.refused("Is a directory", "accept", "base")

    def test_an_inner_folder_that_is_none(self) -> None:
        Path("base/data").rename("away")
        makers: list[Callable[[str], Any]] = [
            os.mkfifo, lambda path: Path(path).write_text("x")
        ]  # fmt: skip
        for make in makers:
            make("base/data")
            self.refused("base/data: is no folder", "accept", "base", "--keep=1")
            self.refused("base/data: is no folder", "compare", "base")
            os.unlink("base/data")
        Path("base").rename("whole")
        os.mkfifo("base")
        self.refused("base: is no folder", "compare", "base")


class Damaged(HostileCase):
    """Run and accept again, and what was damaged is whole."""

    def test_contents(self) -> None:
        ways: list[Callable[[Path], Any]] = [
            lambda path: os.truncate(path, 20),
            lambda path: os.truncate(path, 0),
            lambda path: path.write_bytes(gzip.compress(b"other")),
            lambda path: path.write_bytes(b"\0" * 1000),
            lambda path: path.write_bytes(path.read_bytes()[:-1]),
            os.unlink,
        ]
        for spoil in ways:
            whole = content_of("base")
            for path in Path("base/data").iterdir():
                spoil(path)
            self.assertEqual(self.gate("compare", "base")[0], 2)
            self.assertEqual(self.run_fake({"a": "f=1"}, commit="c1"), 0)
            self.assertEqual(self.gate("accept", "base")[0], 0)
            self.assertEqual(self.gate("compare", "base")[0], 0)
            self.assertEqual(content_of("base"), whole)

    def test_a_run_never_takes_over_what_is_damaged(self) -> None:
        for path in Path("gate-run/data").iterdir():
            os.truncate(path, 20)
        self.refused("is damaged", "accept", "base")
        self.assertEqual(os.listdir("base/runs"), ["c1.json"])
        self.assertEqual(self.gate("merge", "whole", "gate-run")[0], 2)
        self.assertEqual(self.run_fake({"a": "f=2"}, commit="c2"), 0)
        self.assertEqual(self.gate("merge", "whole", "gate-run")[0], 0)

    def test_an_index(self) -> None:
        whole = content_of("base")
        for text in ("", "[", '{"schema": "callgrind_gate 1"}'):
            Path("base/runs/c1.json").write_text(text)
            self.refused("is damaged; remove it, or accept", "compare", "base")
            self.assertEqual(self.run_fake({"a": "f=1"}, commit="c1"), 0)
            self.assertEqual(self.gate("accept", "base", "--keep=5")[0], 0)
            self.assertEqual(content_of("base"), whole)

    def test_nothing_is_removed_beside_an_index_that_cannot_be_read(self) -> None:
        before = content_of("base")
        Path("base/runs/c1.json").write_text("{}")
        status, output, errors = self.gate("accept", "base", "--keep=1")
        self.assertEqual((status, errors.count("\n")), (2, 1))
        self.assertIn("accepted 1 benchmarks of c2", output)
        self.assertIn("c1.json: is not the index of a run", errors)
        self.assertTrue(set(before) < set(content_of("base")))

    def test_a_writer_that_was_killed(self) -> None:
        """At each file that it would have made appear."""
        whole, survived, number = content_of("base"), False, 0
        while not survived:
            survived = self.accept_and_die_at(number)
            kept = {name: text for name, text in content_of("base").items()}
            self.assertEqual({name: kept.get(name) for name in whole}, whole)
            self.assertIn(self.gate("compare", "base", "--base=c1")[0], (0, 1))
            number += 1
        self.assertGreaterEqual(number, 3)
        self.accept_and_die_at(0)
        self.assertEqual(self.gate("accept", "base", "--keep=9")[0], 0)
        self.assertEqual(self.gate("compare", "base", "--base=c2")[0], 0)
        self.assertEqual([name for name in content_of("base") if ".tmp" in name], [])

    def accept_and_die_at(self, number: int) -> bool:
        """Accept in a child that kills itself at its so manieth rename; whether it
        lived."""
        Path("base/runs/c2.json").unlink(missing_ok=True)
        for name in self.stored("gate-run", "c2").blobs():
            Path(f"base/data/{name}.gz").unlink(missing_ok=True)
        child = os.fork()
        if not child:
            left, replace = number, os.replace

            def die(*words: Any, **named: Any) -> None:
                nonlocal left
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                replace(*words, **named)

            with mock.patch("os.replace", die):
                status = self.gate("accept", "base")[0]
            os._exit(status)
        _, status = os.waitpid(child, 0)
        return os.WIFEXITED(status)


class AtOnce(HostileCase):
    """Several processes in one folder."""

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def test_runs_that_are_accepted_at_once_are_whole(self) -> None:
        names = [f"c{number}" for number in range(3, 9)]
        for name in names:
            run = self.run_fake({"a": f"f={name[1:]}"}, out=f"run-{name}", commit=name)
            self.assertEqual(run, 0)
        started = [self.start("accept", "base", f"run-{n}", "--keep=50") for n in names]
        for process in started:
            output, _ = process.communicate()
            self.assertEqual(process.returncode, 0, output)
        for name in names:
            words = ("compare", "base", f"run-{name}", f"--base={name}")
            status, _, errors = self.gate(*words)
            self.assertEqual((status, errors), (0, ""))

    def waits(self, folder: str, how: int, *words: str) -> bool:
        """Whether the command waits for a lock that the test holds, and does its work
        after that.  Nothing changes while it waits."""
        held = os.open(folder, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, how)
        before = content_of(".")
        real, waited = fcntl.flock, False

        def flock(descriptor: int, wanted: int) -> None:
            nonlocal waited
            if not wanted & fcntl.LOCK_NB:  # it would wait now
                self.assertEqual(content_of("."), before)
                waited = True
                real(held, fcntl.LOCK_UN)
            real(descriptor, wanted)

        with mock.patch("gate.folder.fcntl.flock", flock):
            status, output, errors = self.gate(*words)
        self.assertEqual((status, errors), (0, ""), output)
        real(held, fcntl.LOCK_UN)
        return waited

    def test_who_writes_waits_for_all_and_who_reads_for_writers(self) -> None:
        accept = ("accept", "base", "--keep=1")
        compare = ("compare", "base", "--limit=100%")
        for folder, how, words, waits in (
            ("base", fcntl.LOCK_EX, compare, True),
            ("base", fcntl.LOCK_SH, compare, False),
            ("gate-run", fcntl.LOCK_EX, compare, True),
            ("gate-run", fcntl.LOCK_SH, compare, False),
            ("base", fcntl.LOCK_EX, ("log", "base"), True),
            ("base", fcntl.LOCK_SH, ("log", "base"), False),
            ("gate-run", fcntl.LOCK_EX, accept, True),
            ("gate-run", fcntl.LOCK_SH, accept, False),
            ("base", fcntl.LOCK_EX, accept, True),
            ("base", fcntl.LOCK_SH, accept, True),
            ("base", fcntl.LOCK_SH, ("merge", "base", "gate-run"), True),
        ):
            with self.subTest(folder=folder, how=how, words=words):
                self.assertEqual(self.waits(folder, how, *words), waits)

    def test_a_file_system_without_locks(self) -> None:
        for number in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EBADF):
            error = OSError(number, os.strerror(number))
            with mock.patch("gate.folder.fcntl.flock", side_effect=error):
                status, _, errors = self.gate("compare", "base", "--limit=100%")
            self.assertEqual(status, 0)
            self.assertIn("base: this file system has no locks", errors)
        error = OSError(errno.EIO, "broken")
        with mock.patch("gate.folder.fcntl.flock", side_effect=error):
            self.assertEqual(self.gate("compare", "base")[0], 2)

    def test_without_a_lock_nothing_is_believed_that_is_gone(self) -> None:
        """As on two machines: one accepts, the other keeps the newest alone before it
        sees the new index."""
        write = Store.write

        def meanwhile(store: Store, run: Run) -> None:
            with mock.patch.object(Store, "write", write):
                self.assertEqual(self.gate("accept", "base", "other", "--keep=1")[0], 0)
            write(store, run)

        self.run_fake({"a": "f=7"}, out="other", commit="c8")
        self.run_fake({"a": "f=5"}, commit="c9")
        compare = ("compare", "base", "gate-run", "--base=c9")
        with mock.patch("gate.folder.fcntl.flock"):
            with mock.patch.object(Store, "write", meanwhile):
                self.assertEqual(self.gate("accept", "base")[0], 0)
            status, output, errors = self.gate(*compare)
        self.assertEqual((status, output, errors.count("\n")), (2, "", 1))
        self.assertIn("No such file or directory; measure again", errors)
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.assertEqual(self.gate(*compare)[0], 0)

    def test_two_folders_are_locked_in_one_order(self) -> None:
        """Whichever is named first: else two commands would wait for each other."""
        orders: list[list[int]] = []
        real = fcntl.flock

        def flock(descriptor: int, how: int) -> None:
            orders[-1].append(os.fstat(descriptor).st_ino)
            real(descriptor, how)

        with mock.patch("gate.folder.fcntl.flock", flock):
            for first, second in (("base", "gate-run"), ("gate-run", "base")):
                orders.append([])
                with opened([Store(first)], Store(second)):
                    pass
        self.assertEqual(orders[0], orders[1])
        self.assertEqual(len(set(orders[0])), 2)

    def test_the_same_folder_twice(self) -> None:
        self.assertEqual(self.gate("compare", "gate-run", "gate-run")[0], 0)

    def test_two_runs_into_one_folder(self) -> None:
        """The later one is whole, and nothing is left of the other."""
        other = json.loads(Path("gate-run/runs/c2.json").read_text())
        self.assertEqual(other["commit"], "c2")
        measure = callgrind_gate.measure_all

        def meanwhile(*words: Any) -> Any:
            found = measure(*words)
            with mock.patch("callgrind_gate.measure_all", measure):
                self.assertEqual(self.run_fake({"a": "f=3"}, commit="c3"), 0)
            return found

        with mock.patch("callgrind_gate.measure_all", meanwhile):
            self.assertEqual(self.run_fake({"a": "f=4"}, commit="c4"), 0)
        self.assertEqual(os.listdir("gate-run/runs"), ["c4.json"])
        needed = self.stored("gate-run", "c4").blobs()
        self.assertEqual({name[:-3] for name in os.listdir("gate-run/data")}, needed)


class ReadOnly(HostileCase):
    def test_a_folder_is_read_and_not_written(self) -> None:
        if os.geteuid() == 0:
            # Root may write everywhere; another user may not.
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, 65534, 65534)
            self.addCleanup(os.seteuid, 0)
            os.seteuid(65534)
        self.addCleanup(subprocess.check_call, ["chmod", "-R", "u+w", "base"])
        subprocess.check_call(["chmod", "-R", "a-w", "base"])
        before = content_of("base")
        self.assertEqual(self.gate("compare", "base", "--limit=100%")[0], 0)
        self.assertEqual(self.gate("log", "base")[0], 0)
        self.refused("Permission denied", "accept", "base", "--keep=1")
        self.assertEqual(content_of("base"), before)


if __name__ == "__main__":
    unittest.main()
