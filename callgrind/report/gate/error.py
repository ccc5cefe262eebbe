# SPDX-License-Identifier: GPL-2.0-or-later
#
# The error of what callgrind_gate cannot do as it was asked.

"""The error of callgrind_gate."""

from __future__ import annotations


class GateError(Exception):
    """Misuse, or a file that is wrong; the message is one line and says what to do."""
