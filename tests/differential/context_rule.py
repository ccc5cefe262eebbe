# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for contexts: the recursion level and the callers that --separate-callers puts
# behind a function's name.  They are compared one by one, but for those that another
# rule has touched: where it changed who is active, or how a caller is called, contexts
# tell other things apart on each side, and only their sum can be compared.
#
# Owns: which contexts those are.

"""Which contexts of a function are comparable one by one."""

from __future__ import annotations

from typing import AbstractSet, Hashable, Iterable, TypeVar

from profile_file.model import FunctionKey
from tests.differential.code_map import callers_named, split_context

Key = TypeVar("Key", bound=Hashable)


class TouchedContexts:
    """Known by the functions that rules have touched, and by names that changed."""

    def __init__(
        self, impure: AbstractSet[FunctionKey], old_names: AbstractSet[str]
    ) -> None:
        self._impure = impure
        self._names = {function.name for function in impure} | old_names

    def has(self, function: FunctionKey) -> bool:
        return split_context(function)[0] in self._impure or any(
            name in self._names for name in callers_named(function)
        )

    def keys(self, pairs: Iterable[tuple[Key, tuple[FunctionKey, ...]]]) -> set[Key]:
        """The keys under which some context is touched: their contexts go together."""
        return {key for key, functions in pairs if any(map(self.has, functions))}
