# SPDX-License-Identifier: GPL-2.0-or-later
#
# The error of a tree that cannot be exported as the options ask.

"""The error of callgrind_export."""

from __future__ import annotations


class ExportError(Exception):
    """What was asked for cannot be done; the message is one line and says why."""
