# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a tree's process, part and thread are called in exported files.

"""Titles of processes, parts and threads."""

from __future__ import annotations

from tree_file.model import Thread, Tree


def part_title(tree: Tree) -> str:
    """`part 2`, with its benchmark or what triggered the dump, if that is known."""
    title = tree.part.benchmark or tree.part.trigger
    return f"part {tree.part.number}: {title}" if title else f"part {tree.part.number}"


def thread_title(thread: Thread) -> str:
    """`thread 1`, with its name if it has one."""
    name = f": {thread.name}" if thread.name else ""
    return f"thread {thread.number}{name}"
