# SPDX-License-Identifier: GPL-2.0-or-later
#
# What differs in the names of functions and objects from build to build, and means
# nothing: hashes of compilers and build systems, lines, and who compiled it at run time.
#
# Owns: which parts of a name these are.  Rust ends a symbol with ::h and 16 hexadecimal
# digits (legacy mangling), or has a disambiguator in brackets behind the crate's name
# (v0).  LLVM numbers what it made global (.llvm.123), GCC its copies of a function
# (.constprop.0, .isra.1, .part.2, .lto_priv.3).  Cargo ends the name of a program with a
# dash and 16 hexadecimal digits.  V8 names a JavaScript function by its kind, a mark of
# what runs it (* ^ + ~, the first three with a ' if for one context alone), its name, and
# where it begins: `JS:*parse file:///a.mjs:12:7`.

"""Names without what each build makes anew."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from profile_file.model import FunctionKey

RUST_HASH = re.compile(r"::h[0-9a-f]{16}(?![0-9A-Za-z_])")
RUST_CRATE_HASH = re.compile(r"(?<=[0-9A-Za-z_])\[[0-9a-f]{12,16}\]")
NUMBERED = re.compile(r"\.llvm\.[0-9]+|(?<=\.)(constprop|isra|part|lto_priv)\.[0-9]+")
CARGO_HASH = re.compile(r"(?<=.)-[0-9a-f]{16}(?=$|\.)")


# Behind a ' there may be a caller's (--separate-callers).
V8_KINDS = r"(?:JS|LazyCompile|InterpretedFunction|Function|Script|Eval|Callback):(?!:)"
V8_NAME = re.compile(rf"(?:^|(?<=')){V8_KINDS}")
V8_MARK = re.compile(rf"(?:^|(?<='))({V8_KINDS})(?:[*+^]'|[*+^~])")
V8_PLACE = re.compile(r"(?<=[^:]):[0-9]+:[0-9]+(?=$|')")


def without_hashes(name: str) -> str:
    """The function's name without hashes and without the numbers of copies."""
    name = RUST_CRATE_HASH.sub("", RUST_HASH.sub("", name))
    return NUMBERED.sub(lambda found: found.group(1) or "", name)


def without_lines(name: str) -> str:
    """As without_hashes(), and without the line where a JavaScript function begins."""
    name = without_hashes(name)
    return V8_PLACE.sub("", name) if V8_NAME.search(name) else name


# A gate asks for the same names again and again.
@lru_cache(maxsize=None)
def plain_function(name: str) -> str:
    """As without_lines(), and without a word on who has compiled it."""
    return V8_MARK.sub(r"\1", without_lines(name))


@lru_cache(maxsize=None)
def plain_object(path: str) -> str:
    """The base name of an object without the hash of its build."""
    return CARGO_HASH.sub("", os.path.basename(path))


def plain_key(key: FunctionKey) -> FunctionKey:
    """What is the same function in another build; the source file does not count."""
    return FunctionKey(plain_object(key.object_file), "", plain_function(key.name))
