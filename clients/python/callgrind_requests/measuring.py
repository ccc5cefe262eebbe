# SPDX-License-Identifier: BSD-2-Clause
#
# A call that is measured.
#
# Owns: what is around it: names for Python's functions (3.12 and later), the interpreter
# folded away, no tracer, no garbage of others.  A call under way has names for the
# functions that it calls, and for nothing above it: the harness stays nameless, so it is
# folded away with the interpreter.

"""Measure one call of a function."""

from __future__ import annotations

import gc
import os
import sys
import sysconfig
from typing import Any, Callable, Optional, TypeVar

from . import _requests

_Result = TypeVar("_Result")


class _Names:
    """Evaluates frames so that perf, and callgrind, see a function of each."""

    def __init__(self) -> None:
        self._is_known = False
        self._naming: Optional[object] = None
        self._plain: Optional[object] = None

    def _find(self) -> None:
        self._is_known = True
        activate = getattr(sys, "activate_stack_trampoline", None)
        is_active = getattr(sys, "is_stack_trampoline_active", None)
        if activate is None or is_active is None or is_active():
            return
        plain = _requests.evaluator()
        try:
            activate("perf")
        except (ValueError, RuntimeError):
            return  # this Python was built without
        if plain is not None:
            self._plain, self._naming = plain, _requests.evaluator()
            _requests.evaluate_by(self._plain)

    def __enter__(self) -> None:
        if not self._is_known:
            self._find()
        if self._naming is not None:
            _requests.evaluate_by(self._naming)

    def __exit__(self, *_: object) -> None:
        if self._plain is not None:
            _requests.evaluate_by(self._plain)


class _Untraced:
    """Without tracers and profilers (coverage, debuggers), which would be counted."""

    def __enter__(self) -> None:
        self._trace, self._profile = sys.gettrace(), sys.getprofile()
        sys.settrace(None)
        sys.setprofile(None)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._trace)
        sys.setprofile(self._profile)


_names = _Names()
_is_skipped = False


def skip_interpreter() -> None:
    """Fold the interpreter into what calls it: what remains are the functions of Python
    by their names (3.12 and later), and those of C libraries and modules."""
    global _is_skipped
    if _is_skipped:
        return
    _is_skipped = True
    _requests.add_obj_skip(os.path.realpath(sys.executable))
    folder, name = sysconfig.get_config_vars("LIBDIR", "INSTSONAME")
    library = os.path.join(folder or "", name or "")
    if name and os.path.isfile(library):
        _requests.add_obj_skip(os.path.realpath(library))


def measure(
    name: str, function: Callable[..., _Result], *args: Any, **kwargs: Any
) -> _Result:
    """What the function returns.  Under callgrind, what the call spends is written as a
    part called `name`; where it raises there is no part.  What Python does for a function
    once, when it is called for the first time, is counted, too: call it before."""
    if not _requests.running_on_valgrind():
        return function(*args, **kwargs)
    skip_interpreter()
    gc.collect()
    with _Untraced(), _names:
        return _requests.measured_call(name, function, args, kwargs)


def warm_up(function: Callable[..., object], *args: Any, **kwargs: Any) -> None:
    """Calls it as measure() does, but does not count."""
    with _Untraced(), _names:
        function(*args, **kwargs)
