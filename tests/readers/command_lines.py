# SPDX-License-Identifier: GPL-2.0-or-later
#
# Owns: the options with which programs that drive callgrind in CI start it, as they
# stand.

"""The command lines of CodSpeed's runner and of gungraun."""

from __future__ import annotations

from pathlib import Path


def codspeed_options(folder: Path, more: str = "--instr-atstart=no") -> list[str]:
    """`more` is what depends on what the user has asked the runner for."""
    return (
        "-q --trace-children=yes --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64"
        f" --LL=8388608,16,64 {more} --collect-systime=nsec"
        " --read-inline-info=yes --tool=callgrind --compress-strings=no"
        " --combine-dumps=yes --dump-line=no"
        " --trace-children-skip=*esbuild,*.rustup-wrapped"
        f" --callgrind-out-file={folder}/%p.out --log-file={folder}/valgrind.%p.log"
    ).split()


def gungraun_options(folder: Path) -> list[str]:
    return (
        "--tool=callgrind --error-exitcode=0 --trace-children=yes --fair-sched=try"
        " --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 --cache-sim=yes"
        " --compress-strings=no --compress-pos=no --dump-line=yes --dump-instr=no"
        " --combine-dumps=no --separate-threads=yes"
        " --toggle-collect=*::__iai_callgrind_wrapper_mod::*"
        f" --callgrind-out-file={folder}/callgrind.bench.out.#%p"
    ).split()
