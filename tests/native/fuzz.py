#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What test_fuzz.py does with a fixed number of inputs, for as long as one likes.  What
# fails is kept.
#
#    fuzz.py [--seconds 600] [--seed N] [--keep FOLDER]

"""Feed mutated ELF files, .eh_frame sections, perf maps and jitdumps to the tool's
readers, under sanitizers."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.native.fuzzing import KINDS, FuzzError, fuzz  # noqa: E402

BATCH = 20_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long (600)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failed"),
                        help="where inputs go that fail (fuzz-failed)")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    seed, failed, done = options.seed, 0, dict.fromkeys(KINDS, 0)
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            for kind in KINDS:
                try:
                    fuzz(kind, seed, BATCH, Path(name))
                except FuzzError as error:
                    failed += 1
                    print(error, flush=True)
                    options.keep.mkdir(parents=True, exist_ok=True)
                    content = Path(name, f"failed.{kind}").read_bytes()
                    (options.keep / f"{kind}.{seed}").write_bytes(content)
                done[kind] += BATCH
            seed += 1
    print(", ".join(f"{count} of {kind}" for kind, count in done.items())
          + f": {failed} failed; the next seed is {seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
