#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What test_two_readers.py does with a fixed number of mutations, for as long as one
# likes.  What fails is kept.
#
#    fuzz_readers.py [--seconds 600] [--seed N] [--keep FOLDER]

"""Feed mutated profiles to both readers, the one in C under sanitizers."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
# When run as a command.
sys.path[:0] = [str(SOURCE), str(SOURCE / "callgrind" / "report")]

from callgrind.report.tests.test_two_readers import (  # noqa: E402
    MUTATIONS,
    checked_program,
    texts,
)
from callgrind.report.tests.two_readers import Examples  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long (600)")
    parser.add_argument("--seed", type=int, default=MUTATIONS,
                        help=f"the first seed ({MUTATIONS}, behind those of the test)")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failed"),
                        help="where profiles go that fail (fuzz-failed)")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    seed, failed = options.seed, 0
    with tempfile.TemporaryDirectory() as name:
        examples = Examples(texts(), checked_program(), Path(name))
        while time.monotonic() < end:
            found = examples.check(seed)
            if found:
                failed += 1
                print(found[:3000], flush=True)
                options.keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(examples.path, options.keep / f"profile.{seed}")
            seed += 1
    print(f"{seed - options.seed} profiles, {examples.read_natively} of them read in C: "
          f"{failed} failed; the next seed is {seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
