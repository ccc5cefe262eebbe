# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which comparison is made when, and by which process.
#
# Owns: the worker processes, and the order of the outcomes.  A piece of work is all sets
# of one case that share their runs with addresses (measuring.py); pieces have nothing in
# common but files that nobody writes to any more: programs and their inputs are prepared
# before the first of them begins, and each set has a folder of its own for its profiles.
# Processes, not threads, since half of the time goes into reading profiles, in Python.

"""Make comparisons side by side."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Generator, Optional

from cases import CASES, Case, CaseUnavailable
from launching import Surroundings
from measuring import Comparison, Measurement, kind_of_options


class WorkerError(Exception):
    """A worker process has ended before its work was done."""


@dataclass
class Outcome:
    """What came of one set, or, without `options`, of a whole case that cannot run."""

    case: str
    options: str
    comparison: Optional[Comparison]
    skipped: str = ""

    @property
    def label(self) -> str:
        return f"{self.case} / {self.options}" if self.options else self.case


@dataclass(frozen=True)
class Piece:
    """Sets of one case, for one process.  The case goes by its name: what prepares it
    cannot be sent to another process."""

    case: str
    command: list[str]
    options: list[str]


class Plan:
    """What is to be compared, in the order of the report."""

    def __init__(self, surroundings: Surroundings, work: Path, kept: Path) -> None:
        self.surroundings = surroundings
        self.work, self.kept = work, kept
        self.pieces: list[Piece] = []
        # Each outcome to come: known already, or a piece's, by their places in both.
        self.order: list[tuple[Optional[Outcome], int, int]] = []

    def add(self, case: Case, option_sets: list[str]) -> None:
        """Prepares a case, and puts its sets at the end of the plan."""
        try:
            command = case.prepare(self.work)
        except CaseUnavailable as error:
            self.order.append((Outcome(case.name, "", None, str(error)), 0, 0))
            return
        piece_of_kind: dict[tuple[str, ...], int] = {}
        for name in option_sets:
            kind = kind_of_options(case, name)
            if kind not in piece_of_kind:
                piece_of_kind[kind] = len(self.pieces)
                self.pieces.append(Piece(case.name, command, []))
            number = piece_of_kind[kind]
            self.order.append((None, number, len(self.pieces[number].options)))
            self.pieces[number].options.append(name)


def _compare(
    piece: Piece, surroundings: Surroundings, work: Path, kept: Path
) -> list[Outcome]:
    """In a worker: one piece's outcomes."""
    case = next(case for case in CASES if case.name == piece.case)
    measurement = Measurement(case, piece.command, surroundings, work, kept)
    outcomes = []
    for name in piece.options:
        try:
            outcomes.append(Outcome(piece.case, name, measurement.compare(name)))
        except CaseUnavailable as error:
            outcomes.append(Outcome(piece.case, name, None, str(error)))
    del measurement
    gc.collect()
    return outcomes


def _begin_worker() -> None:
    # Profiles are millions of small objects, and looking through them again and again for
    # what is no longer needed took half of the time.
    gc.disable()
    # A worker ends together with the program that it runs.  What interrupts the parent is
    # for the parent alone.
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))


def compare_all(plan: Plan, jobs: int) -> Generator[Outcome, None, None]:
    """The outcomes of a plan in its order, each as soon as those before it are known.

    `jobs` processes work at a time.  Raises WorkerError where one of them dies, and
    whatever else than CaseUnavailable a comparison raises.  Where it is not gone through
    to the end, nothing runs any more when it is closed.
    """
    # Forked: a worker finds the modules that this program has found, and cannot be told
    # how to import a program without the ending .py.
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("fork"), _begin_worker
    ) as pool:
        futures: list[Future[list[Outcome]]] = [
            pool.submit(_compare, piece, plan.surroundings, plan.work, plan.kept)
            for piece in plan.pieces
        ]
        workers = multiprocessing.active_children()
        is_done = False
        try:
            for known, piece, place in plan.order:
                yield known or futures[piece].result()[place]
            is_done = True
        except BrokenProcessPool:
            raise WorkerError("a process that compares has been ended") from None
        finally:
            for worker in [] if is_done else workers:
                worker.terminate()  # and with it all that waits
