#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The inputs of test_hostile.py, changed at random for as long as one likes: messages,
# perf maps, jitdump files, ELF files, records, symbols of the kernel.  What fails is
# kept.
#
#    fuzz.py [--seconds 600] [--seed N] [--keep FOLDER]

"""Feed hostile input to the parts of the sampler, under sanitizers."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.sampler.driving import drive  # noqa: E402
from tests.sampler.hostile import (  # noqa: E402
    elf_originals,
    jitdump,
    mutants,
    perf_map,
    records,
    session,
)
from tests.sampler.sampling import Word  # noqa: E402


class Kind(NamedTuple):
    originals: list[bytes]
    batch: int  # files per call of the driver
    words: Callable[[list[Path]], list[Word]]  # its arguments


def kinds(folder: Path) -> dict[str, Kind]:
    addresses = ["0", "1000", "2345", "3000", "ffffffffffffffff"]
    symbols = b"".join(b"ffffffff8100%04x T function_%d\n" % (16 * n, n)
                       for n in range(200))
    return {
        "messages": Kind([session()], 200, lambda files: ["runner", *files]),
        "perf map": Kind([perf_map()], 1,
                         lambda files: ["perfmap", files[0], *addresses]),
        "jitdump": Kind([jitdump()], 1,
                        lambda files: ["jitdump", files[0], *addresses]),
        "records": Kind(records(), 200, lambda files: ["record", *files]),
        "symbols": Kind([symbols], 1,
                        lambda files: ["kallsyms", files[0], "ffffffff81000100",
                                       "ffffffff81000fff"]),
        "elf": Kind(elf_originals(folder), 25, lambda files: ["elf", *files]),
        "source files": Kind(elf_originals(folder)[-1:], 1,
                             lambda files: ["sources", *files]),
    }


def round_of(name: str, kind: Kind, seed: int, folder: Path) -> str:
    """What went wrong with one batch; "" if nothing."""
    original = kind.originals[seed % len(kind.originals)]
    files = []
    for number, data in enumerate(mutants(original, seed, kind.batch)):
        # The name of a jitdump file is that of such a file, in a folder of its own.
        place = folder / str(number)
        place.mkdir(exist_ok=True)
        files.append(place / "jit-1.dump")
        files[-1].write_bytes(data)
    try:
        drive(*kind.words(files), seconds=120, may_refuse=True)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return f"{name}, seed {seed}: {error}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long (600)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failed"),
                        help="where inputs go that fail (fuzz-failed)")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    done: dict[str, int] = {}
    failed = 0
    seed = options.seed
    with tempfile.TemporaryDirectory() as name:
        every = kinds(Path(name))
        while time.monotonic() < end:
            for kind_name, kind in every.items():
                place = Path(name, "round")
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                wrong = round_of(kind_name, kind, seed, place)
                done[kind_name] = done.get(kind_name, 0) + kind.batch
                if wrong:
                    failed += 1
                    print(wrong, flush=True)
                    shutil.copytree(place, options.keep / f"{kind_name}.{seed}",
                                    dirs_exist_ok=True)
            seed += 1
    print(", ".join(f"{count} of {name}" for name, count in done.items())
          + f": {failed} failed; the next seed is {seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
