# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads files of sections with keys, in which names of functions stand.

"""Read the sections of an .ini file."""

from __future__ import annotations

import configparser
from pathlib import Path


class IniError(Exception):
    """The file cannot be read; the text says where and why."""


def read_sections(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Each section's name and its keys, in the order of the file."""
    # No delimiter but "=": names of functions hold colons.  Nothing is interpolated.
    parser = configparser.ConfigParser(
        delimiters=("=",), comment_prefixes=("#",), interpolation=None
    )
    try:
        parser.read_string(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise IniError(f"{path}: {error.strerror}") from error
    except configparser.Error as error:
        raise IniError(" ".join(str(error).split())) from error
    return [(name, dict(parser[name])) for name in parser.sections()]
