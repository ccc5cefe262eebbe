# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is said when a tree cannot be exported as it was asked for.

"""The error of callgrind_export."""

from __future__ import annotations


class ExportError(Exception):
    """A wish that cannot be met; the message is one line: what, where, what to do."""
