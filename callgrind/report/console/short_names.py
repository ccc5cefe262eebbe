# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions, short enough for a table.
#
# Owns: what of a long C++ or Rust name is left out: first what is inside the innermost
# template arguments and parameter lists, from the inside outwards; then the beginning.
# The name's last words, which tell functions apart, stay.

"""Long names, shortened."""

from __future__ import annotations

import re

MOST_CHARACTERS = 60
MOST_LOOKED_AT = 4000  # each level of brackets takes another look at all of them
ELLIPSIS = "…"

# Brackets with something in them, but no brackets that are not empty yet.
_INNERMOST = (
    re.compile(r"<(?!…?>)((?:[^<>()]|<…?>|\(…?\))+)>"),
    re.compile(r"\((?!…?\))((?:[^<>()]|<…?>|\(…?\))+)\)"),
)
_OPERATORS = re.compile(r"operator(?:<=>|<<=?|>>=?|->\*?|<=?|>=?|\(\))")


def shortened(name: str, most: int = MOST_CHARACTERS) -> str:
    """The name in at most so many characters."""
    if len(name) <= most:
        return name
    if len(name) > MOST_LOOKED_AT:
        name = ELLIPSIS + name[-MOST_LOOKED_AT:]
    # Operators are out of the way meanwhile: their brackets do not pair.
    operators: list[str] = []

    def hide(found: re.Match[str]) -> str:
        operators.append(found.group())
        return chr(0xE000 + len(operators) - 1)

    text = _OPERATORS.sub(hide, name)
    hidden = sum(len(operator) - 1 for operator in operators)
    while len(text) + hidden > most:
        shorter = text
        for brackets in _INNERMOST:
            shorter = brackets.sub(_emptied, shorter)
        if shorter == text:
            break
        text = shorter
    for index, operator in enumerate(operators):
        text = text.replace(chr(0xE000 + index), operator)
    return text if len(text) <= most else ELLIPSIS + text[len(text) - most + 1:]


def _emptied(found: re.Match[str]) -> str:
    text = found.group()
    return f"{text[0]}{ELLIPSIS}{text[-1]}"
