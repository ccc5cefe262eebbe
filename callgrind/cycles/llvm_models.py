#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Generates the tables of what instructions cost, from LLVM's scheduling models.

Each form of instruction (x86_decode.h, a64_decode.h) is put together from its bytes, read
by LLVM's disassembler, and given to llvm-mca, which says what a processor needs for it.
Only these facts are written; nobody needs LLVM to build the tool.

Needs LLVM 19 (Debian: llvm-19).  Without arguments it writes all tables beside itself.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

import a64_forms
import x86_forms
from llvm_mca import (Cost, Disassembler, Row, Target, cost_of, rows_of, sets_of,
                      version_of, whole_processor)
from table_writer import c_name, write_forms, write_model

HERE = pathlib.Path(__file__).resolve().parent

# FORM_MAX of form_table.h.
MAX_FORMS = 8192

Costs = Dict[int, Tuple[Optional[Cost], ...]]


# LLVM's model of Sapphire Rapids knows no divider of floats, which its other models do,
# so any number could be under way; it is Ice Lake's.  And it has LEA on one port, where
# Golden Cove's five adders have it (Intel's optimisation manual); so it costs what an
# addition costs.
REPLACED = {
    "sapphirerapids": ((re.compile(r"v?(div|sqrt)[sp][sd]\b"), "icelake-server", None),
                       (re.compile(r"lea[lq]\b"), "sapphirerapids",
                        r"addq\s+%r\w+, %r\w+$")),
}

# It has two or three cycles for simple instructions of integers that take one, as Intel's
# manual says of both processors; and it executes what sets a vector to zero.  Their
# latency is Ice Lake's.
SHORTER = {
    "sapphirerapids": (re.compile(
        r"(and|andn|or|xor|test|set\w{1,2}|sh[lr]x|sarx|bls\w+|bt[crs]?|bzhi)[bwlq]?\s|"
        r"v?(pxor|xorp[sd]|psub[bwdq]|pcmpgt[bwdq])\s"), "icelake-server"),
}

# LLVM has one model for both.
TWINS = {"sapphirerapids": ("graniterapids",)}


def replace_rows(by_model: Dict[str, Dict[int, Cost]], texts: List[str]) -> None:
    """Takes the costs in REPLACED and the latencies in SHORTER from elsewhere."""
    for model, rules in REPLACED.items():
        for pattern, other, like in rules:
            for i, own in enumerate(texts if model in by_model else []):
                if pattern.match(own):
                    source = i if like is None else next(
                        k for k, text in enumerate(texts) if re.match(like, text))
                    by_model[model][i] = by_model[other][source]
    for model, (pattern, other) in SHORTER.items():
        for i, cost in by_model.get(model, {}).items():
            short = by_model[other].get(i)
            if pattern.match(texts[i]) and short and short.latency < cost.latency:
                by_model[model][i] = cost._replace(
                    latency=short.latency, ports=cost.ports if short.latency else ())


def check_twins(of: Architecture, mca: str, texts: List[str],
                rows: Dict[str, Dict[int, Row]]) -> None:
    """Stops if LLVM has a model of its own for one of TWINS."""
    for model in of.models:
        for twin in TWINS.get(model, ()):
            same = whole_processor(mca, of.target, twin) == whole_processor(
                mca, of.target, model)
            if not same or rows_of(mca, of.target, twin, texts) != rows[model]:
                sys.exit(f"LLVM tells {twin} from {model}: it needs tables of its own")


class Architecture(NamedTuple):
    """What is asked, and what is written."""
    target: Target
    models: Tuple[str, ...]
    known_forms: Callable[[Callable[[bytes], str]], Dict[int, str]]
    needed: Callable[[Costs], Costs]
    macro: str    # of the tool's builds that need the tables


ARCHITECTURES = {
    "x86": Architecture(
        Target("x86_64-linux-gnu", "X86", "haswell", x86_forms.FEATURES),
        ("haswell", "skylake", "icelake-server", "sapphirerapids", "znver3", "znver4"),
        x86_forms.known_forms, x86_forms.needed, "VGA_amd64"),
    "a64": Architecture(
        Target("aarch64-linux-gnu", "AArch64", "generic", a64_forms.FEATURES),
        ("neoverse-n1", "neoverse-v1"),
        a64_forms.known_forms, lambda costs: dict(sorted(costs.items())), "VGA_arm64"),
}


def generate(name: str, mca: str, library: str, output: pathlib.Path) -> None:
    """All tables of one architecture."""
    of = ARCHITECTURES[name]
    known = of.known_forms(Disassembler(library, of.target).text)
    texts = sorted(set(known.values()))
    version = version_of(mca)
    by_model: Dict[str, Dict[int, Cost]] = {}
    all_rows = {model: rows_of(mca, of.target, model, texts) for model in of.models}
    check_twins(of, mca, texts, all_rows)
    for model, rows in all_rows.items():
        sets = sets_of(rows.values())
        by_row = {row: cost_of(row, sets) for row in set(rows.values())}
        by_model[model] = {i: by_row[row] for i, row in rows.items()}
    replace_rows(by_model, texts)
    index = {text: i for i, text in enumerate(texts)}
    costs: Costs = {key: tuple(rows.get(index[text]) for rows in by_model.values())
                    for key, text in known.items()}
    kept = of.needed({key: cost for key, cost in costs.items() if any(cost)})
    if len(kept) > MAX_FORMS:
        sys.exit(f"{len(kept)} forms are more than FORM_MAX in form_table.h")
    write_forms(output / f"forms_{name}.c", list(kept), version, of.macro)
    for i, model in enumerate(of.models):
        write_model(output / f"model_{c_name(model)}.c", (model, *TWINS.get(model, ())),
                    whole_processor(mca, of.target, model),
                    [cost[i] for cost in kept.values()], version, of.macro)
    print(f"{name}: {len(known)} forms, of which {len(kept)} are written")


def main() -> None:
    """Asks LLVM, and writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mca", default="llvm-mca-19", help="llvm-mca [llvm-mca-19]")
    parser.add_argument("--library", default="libLLVM.so.19.1",
                        help="LLVM's library [libLLVM.so.19.1]")
    parser.add_argument("--output", type=pathlib.Path, default=HERE, help="folder")
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE",
                        help="x86, a64 [both]")
    arguments = parser.parse_args()
    for name in arguments.architectures or ARCHITECTURES:
        if name not in ARCHITECTURES:
            sys.exit(f"there is no architecture {name}; there are x86 and a64")
        generate(name, arguments.mca, arguments.library, arguments.output)


if __name__ == "__main__":
    main()
