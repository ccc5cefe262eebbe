# SPDX-License-Identifier: GPL-2.0-or-later
#
# What differs in the names of functions and objects from build to build, and means
# nothing: hashes of compilers and build systems.
#
# Owns: which parts of a name these are.  Rust ends a symbol with ::h and 16 hexadecimal
# digits (legacy mangling), or has a disambiguator in brackets behind the crate's name
# (v0).  LLVM numbers what it made global (.llvm.123), GCC its copies of a function
# (.constprop.0, .isra.1, .part.2, .lto_priv.3).  Cargo ends the name of a program with a
# dash and 16 hexadecimal digits.

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


# A gate asks for the same names again and again.
@lru_cache(maxsize=None)
def plain_function(name: str) -> str:
    """The function's name without hashes and without the numbers of copies."""
    name = RUST_CRATE_HASH.sub("", RUST_HASH.sub("", name))
    return NUMBERED.sub(lambda found: found.group(1) or "", name)


@lru_cache(maxsize=None)
def plain_object(path: str) -> str:
    """The base name of an object without the hash of its build."""
    return CARGO_HASH.sub("", os.path.basename(path))


def plain_key(key: FunctionKey) -> FunctionKey:
    """What is the same function in another build; the source file does not count."""
    return FunctionKey(plain_object(key.object_file), "", plain_function(key.name))
