# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a client has to do, whichever language it is for.
#
# Owns: the script that each client's program in programs/ follows, and what has to be
# seen of it, without Valgrind and under the tool:
#
#    start, call counted() three times, stop, dump_at("first part")
#    add_obj_skip(the first argument), add_desc("kind: second")
#    start, mark("in the second"), counted(), stop, dump_at("second\npart")
#    start, counted(), stop, zero, dump
#    start, toggle_collect, counted(), toggle_collect, stop, dump_at("toggled")
#    print "under Valgrind: yes" or "no"

"""Check that a client makes each request."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Mapping, Optional, Sequence

from tests.clients.measured import calls, measure, objects, total
from tree_file.timeline_reader import read_timeline

COUNTED = 3


def check_natively(command: Sequence[str], skipped: str, folder: Path) -> None:
    """Without Valgrind the requests have no effect, and leave nothing."""
    ended = subprocess.run(
        [*command, skipped], cwd=folder, text=True, check=False, capture_output=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    assert ended.stdout == "under Valgrind: no\n"
    assert list(folder.glob("out.*")) == []


def check_under_the_tool(
    command: Sequence[str],
    skipped: str,
    folder: Path,
    counted: str,
    environment: Optional[Mapping[str, str]] = None,
) -> None:
    """`skipped` is an object that the first part has functions of; `counted` is how the
    profile names the function that is called, a regular expression."""
    to_file = f"--timeline-out-file={folder}/timeline.%p"
    options = ("--timeline=yes", to_file)
    run = measure([*command, skipped], folder, environment, options)
    assert "under Valgrind: yes" in run.said, run.said
    assert "Warning" not in run.said, run.said
    parts = [(name, part) for name, part in run.parts()
             if part.header.thread in (None, 1)]
    names = [name for name, _ in parts]
    assert names == ["first part", "second part", "", "toggled"], names
    first, second, zeroed, toggled = (part for _, part in parts)
    assert calls(first, counted) == COUNTED
    assert first.header.description("kind") is None
    assert skipped in objects(first)
    assert second.header.description("kind") == "second"
    assert skipped not in objects(second)
    assert total(second) > 0
    assert total(zeroed) == 0
    assert calls(toggled, counted) == 0
    timeline = read_timeline(sorted(folder.glob("timeline.*")))
    marks = [mark for thread in timeline.threads for mark in thread.marks]
    assert "in the second" in [mark.text for mark in marks if mark.kind == "mark"], marks
