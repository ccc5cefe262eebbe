#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A soak: the tool in ever new circumstances, for hours.  Each step is one of
#
#    generated   a program of tests/groundtruth that counts its own calls
#    started     START and STOP at random in three threads; the calls must be as counted
#    killed      a program with options at random, ended by a signal once it runs
#    full        the same on a disk that has no room for the profile, or just so
#
# What is chosen follows from the seed and the step's number, so that a step can be
# repeated by itself: --seed 7 --first 123 --steps 1.  (When a signal arrives does not.)
#
#    soak_long.py [--hours H | --steps N] [--seed S] [--first N] [--keep FOLDER]

"""Run the tool in ever new circumstances, and look for what is lost."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.format.profile_grammar import violations  # noqa: E402
from tests.groundtruth import kinds  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VG_BUILD", SOURCE / "build"))
QUERY = SOURCE / "callgrind" / "tests" / "helpers" / "profile_query"
PROFILE = "callgrind.out"
PATIENCE = 600  # seconds that no step takes, however busy the machine is

# Each is drawn or not.
MIX = (
    "--cache-sim=yes", "--branch-sim=yes", "--collect-jumps=yes", "--dump-instr=yes",
    "--separate-threads=yes", "--separate-callers=2", "--separate-recs=3",
    "--combine-dumps=yes", "--compress-strings=no", "--compress-pos=no",
    "--dump-line=no", "--call-tree=yes", "--call-tree-max-nodes=500",
    "--dump-every-bb=300000", "--collect-systime=nsec", "--tail-calls=flat",
    "--skip-plt=no", "--instr-atstart=inherit", "--obj-skip=*perl*", "--ct-check=yes",
)

# Says when it runs; then it works for `count` rounds, with children now and then.
WORKER = """
$| = 1; print "ready\\n"; my %h;
for my $i (1 .. shift) {
   $h{$i % 97} .= join ',', sort { $a <=> $b } map { $_ * $i % 13 } 1 .. 20;
   $h{$i % 97} =~ s/(1,)+/x/g if $i % 5 == 0;
   if ($i % 400 == 0) { my $child = fork; exit 0 unless $child; waitpid $child, 0; }
}
exit 3;
"""
STATUS = 3  # the worker's own


def valgrind(options: list[str]) -> list[str]:
    return [str(BUILD / "vg-in-place"), "-q", "--tool=callgrind", *options]


def mixed(chance: random.Random) -> list[str]:
    return [option for option in MIX if chance.random() < 0.25]


def broken(folder: Path) -> str:
    """What is wrong with the profiles in a folder; "" if nothing."""
    for path in sorted(folder.glob(f"{PROFILE}*")):
        for violation in violations(path):
            return f"{path.name}: {violation}"
    return ""


def temporaries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()
                  if not path.name.startswith((PROFILE, "tree.")) or "tmp" in path.name)


def generated(chance: random.Random, folder: Path) -> str:
    kind, seed = chance.choice(sorted(kinds.KINDS)), chance.randrange(10**6)
    done = subprocess.run(
        [SOURCE / "tests/groundtruth/run", "-n", "1", "-q", "--brief", "--kind", kind,
         "--seed", str(seed), "-p", "no:cacheprovider"],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return "" if done.returncode == 0 else f"kind {kind}, seed {seed}:\n{done.stdout}"


def started(chance: random.Random, folder: Path) -> str:
    options = ["--instr-atstart=no", "--separate-recs=1",
               f"--callgrind-out-file={PROFILE}"]
    if chance.random() < 0.5:
        options.append("--ct-check=yes")
    if chance.random() < 0.5:
        options.append("--cache-sim=yes")
    program = BUILD / "callgrind/tests/programs/start_stop_random"
    done = subprocess.run(
        [*valgrind(options), program, "counted", str(chance.randrange(10**6))],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        return f"status {done.returncode}\n{done.stderr}"
    asked = subprocess.run([QUERY, "arcs", "f[0-4] run leaf"], cwd=folder,
                           capture_output=True, text=True, timeout=PATIENCE, check=False)
    counted = (folder / "counted").read_text(encoding="utf-8")
    if asked.stdout == counted:
        return ""
    return f"{asked.stdout}{asked.stderr} where {counted} was counted"


def killed(chance: random.Random, folder: Path) -> str:
    options = [*mixed(chance), f"--callgrind-out-file={PROFILE}.%p",
               "--call-tree-out-file=tree.%p"]
    number = chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL,
                            signal.SIGSEGV, signal.SIGUSR1))
    wait = chance.random() * 2
    with subprocess.Popen([*valgrind(options), "/usr/bin/perl", "-e", WORKER, "1000000"],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        time.sleep(wait)
        process.send_signal(number)
        try:
            errors = process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return f"{' '.join(options)}, signal {number}: does not end"
    what = f"{' '.join(options)}, signal {number}"
    if said != "ready\n":
        return f"{what}: did not start: {errors}"
    if process.returncode != -number:
        return f"{what}: status {process.returncode}: {errors}"
    if number == signal.SIGKILL:
        return broken(folder) and f"{what}: {broken(folder)}"
    profile = folder / f"{PROFILE}.{process.pid}"
    if not list(folder.glob(f"{profile.name}*")):
        return f"{what}: no profile: {errors}"
    wrong = broken(folder) or " ".join(temporaries(folder))
    return wrong and f"{what}: {wrong}"


# In a name space of its own: a disk of $1 KB, then the command; what is left goes to $2.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size="$1"k none disk && cp old disk/callgrind.out || exit 99
out=$2; shift 2; status=0
TMPDIR=$PWD/disk "$@" || status=$?
cp -a disk/. "$out"
exit $status
"""


def full(chance: random.Random, folder: Path) -> str:
    for name in ("disk", "out"):
        (folder / name).mkdir()
    old = b"# callgrind format\nevents: Ir\nfn=f\n1 1\n"
    (folder / "old").write_bytes(old)
    # These write to other names.
    options = [option for option in mixed(chance)
               if "combine" not in option and "threads" not in option]
    # vgdb's own files would go there, too.
    options += ["--vgdb=no", f"--callgrind-out-file={folder}/disk/{PROFILE}",
                f"--call-tree-out-file={folder}/disk/tree.%p"]
    size = chance.choice((4, 8, 16, 64, 128, 256, 512, 1024))
    command = [*valgrind(options), "/usr/bin/perl", "-e", WORKER, "300"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(size),
         str(folder / "out"), *command],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    what = f"{' '.join(options)}, {size} KB"
    if done.returncode == 99:
        return f"{what}: cannot make a small disk: {done.stderr}"
    if done.returncode != STATUS:
        return f"{what}: status {done.returncode}: {done.stderr}"
    profile = folder / "out" / PROFILE
    if not profile.exists():
        return f"{what}: the old profile is gone: {done.stderr}"
    if profile.read_bytes() == old:
        return "" if done.stderr.strip() else f"{what}: nothing was said of the loss"
    wrong = broken(folder / "out") or " ".join(temporaries(folder / "out"))
    return wrong and f"{what}: {wrong}"


STEPS: tuple[Callable[[random.Random, Path], str], ...] = (
    generated, started, killed, full,
)


def step(seed: int, number: int, keep: Path) -> tuple[str, str]:
    """Takes a step; returns its name, and what was wrong, or ""."""
    chance = random.Random(f"{seed} {number}")
    take = chance.choice(STEPS)
    with tempfile.TemporaryDirectory(prefix="soak.") as name:
        try:
            wrong = take(chance, Path(name))
        except subprocess.TimeoutExpired as error:
            wrong = f"no end: {error}"
        if wrong:
            shutil.copytree(name, keep / f"{seed}.{number}", dirs_exist_ok=True,
                            ignore_dangling_symlinks=True)
    return take.__name__, wrong


def heed_signals() -> None:
    """Started by nohup, or in the background of a shell, a process ignores signals, and
    so would the programs that it starts and that are to be ended by them."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="how long (1)")
    parser.add_argument("--steps", type=int, help="so many steps, however long they take")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn (1)")
    parser.add_argument("--first", type=int, default=0, help="the first step (0)")
    parser.add_argument("--keep", type=Path, default=Path("soak-failed"),
                        help="where steps that fail leave their files (soak-failed)")
    options = parser.parse_args(arguments)
    heed_signals()
    began = time.monotonic()
    done: Counter[str] = Counter()
    failed = 0
    number = options.first
    while (number - options.first < options.steps if options.steps is not None
           else time.monotonic() - began < options.hours * 3600):
        name, wrong = step(options.seed, number, options.keep)
        done[name] += 1
        if wrong:
            failed += 1
            print(f"seed {options.seed}, step {number}, {name}: {wrong}", flush=True)
        number += 1
    hours = (time.monotonic() - began) / 3600
    what = ", ".join(f"{done[take.__name__]} {take.__name__}" for take in STEPS)
    print(f"seed {options.seed}, {hours:.2f} hours: {what}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
