# SPDX-License-Identifier: GPL-2.0-or-later
#
# arm64 under an emulator: the tool is built for it on this machine, by a cross compiler,
# against the unpacked packages of Debian's valgrind for arm64, and the programs that it
# measures run under qemu-user.  Owns: what is built where, and what runs.  Relies on
# debian_root.py for the packages, on enter_arm64.sh, in whose namespaces programs for
# arm64 can be started like others, and on regression_arm64.py for which of the regression
# tests those are.

"""Build for arm64, and run tests under qemu-user."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional, Sequence

from tests.machines import regression_arm64
from tests.machines.choice import Choice, Sum, shown
from tests.machines.debian_root import CannotMake, Log, Root, Wanted, provided

SOURCE = Path(__file__).resolve().parents[2]
ENTER = Path(__file__).resolve().parent / "enter_arm64.sh"
BUILD = SOURCE / "build" / "arm64"
# What runs there: PROGRAMS is what this module does itself.
PROGRAMS, GROUND_TRUTH, REGRESSION = "programs", "groundtruth", "regression"
SAMPLER = "sampler"
SUITES = (PROGRAMS, SAMPLER, REGRESSION, GROUND_TRUTH)
# The tests of the sampler that need no samples, nor fixtures of another machine: an
# emulator has no events.
OF_SAMPLER = ("test_recorded.py", "test_event.py", "test_hostile.py")
TOOLS = BUILD / "tools"
CONFIGURED = BUILD / "configured"  # the words that it was with
# Leads to stock's tools.  The name is as long as that of the folder of ours, so that a
# program's stack begins at the same place under both.
STOCK = BUILD / "stock_lib"
assert len(STOCK.name) == len(".in_place")
OS_RELEASE = Path("/etc/os-release")
KERNELS_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
PREFIX = "aarch64-linux-gnu-"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
NEEDED = (f"{PREFIX}gcc", f"{PREFIX}g++", "autoreconf", "make", "pkg-config")
# What the tool is linked to, what programs need, and some that are measured.
PACKAGES = ("valgrind", "libc6-dev", "libstdc++6", "libgcc-s1", "coreutils", "bzip2",
            "libdw-dev", "libiberty-dev")
# Of these the linker is shown no others: the cross compiler has a C library of its own.
LIBRARIES = ("libdw.so", "libelf.so", "libiberty.a")
# Their atomic operations would be calls: generated programs count without any.
COMPILER_FLAGS = "-mno-outline-atomics"
# What --stats=yes says of stored translations.
STORED = re.compile(r"cache: (\d+) used, \d+ stored, (\d+) changed, (\d+) unfit")
# Of each kind of generated programs.
QUICK_SEEDS = ("--seeds", "26")
# The emulator takes a path for the sysroot's where that has it.  These folders are the
# machine's own.
WRITTEN_TO = ("tmp", "dev", "var/tmp")
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")


def check_arm64(choice: Choice) -> int:
    def log(text: str) -> None:
        print(f"arm64: {text}", flush=True)

    # What is meant for pytest, the ground truth understands where nobody is named.
    suites = choice.suites or ((GROUND_TRUTH,) if choice.for_pytest else SUITES)
    for name in suites:
        if name not in SUITES:
            print(f"arm64: no suite is called '{name}' there; there are:"
                  f" {' '.join(SUITES)}", file=sys.stderr)
            return 2
    result = Sum()
    try:
        machine = Machine(emulator())
        wanted = Wanted(release(), "arm64", PACKAGES, "sysroot", unpacked_only=True)
        with provided(wanted, log, choice.fresh) as root:
            machine.build(root, log)
            if PROGRAMS in suites:
                result.add(machine.measure_programs(choice, log))
            if SAMPLER in suites:
                result.add(machine.run_sampler(choice, log))
            if REGRESSION in suites:
                result.add(machine.run_regression(choice, log))
            if GROUND_TRUTH in suites:
                result.add(machine.run_generated(choice, log))
    except CannotMake as reason:
        log(f"skipped: {reason}")
        result.skipped += 1
    print(result.line(), flush=True)
    return result.status()


def emulator() -> str:
    """Its path; it must not need libraries of its own."""
    for name in NEEDED:
        if shutil.which(name) is None:
            raise CannotMake(f"{name} is not installed")
    for name in EMULATORS:
        found = shutil.which(name)
        if found is not None:
            return found
    raise CannotMake("qemu-user-static is not installed")


def release() -> str:
    """That of this machine: the cross compiler's C library is of the same version."""
    try:
        lines = OS_RELEASE.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    raise CannotMake("this machine does not say which release of Debian it is")


class Machine:
    """An arm64 machine that shares this one's files."""

    def __init__(self, path_of_emulator: str) -> None:
        self.emulator = path_of_emulator
        self.sysroot = Path("/")

    def command(self, *words: str) -> list[str]:
        unshare = ["unshare", "--user", "--map-root-user", "--mount", "--"]
        enter = ["sh", str(ENTER), self.emulator, str(self.sysroot), str(TOOLS)]
        return [*unshare, *enter, *words]

    def run(
        self, *words: str, folder: Path = SOURCE
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*words),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )

    def demand(self, what: str, *words: str, folder: Path = SOURCE) -> None:
        done = self.run(*words, folder=folder)
        if done.returncode != 0:
            print(done.stdout)
            raise SystemExit(f"arm64: FAIL: {what} ended with status {done.returncode}")

    # -- Building ---------------------------------------------------------------------

    def build(self, root: Root, log: Log) -> None:
        self.sysroot = root.folder
        for name in WRITTEN_TO:
            if (self.sysroot / name).is_dir():
                shutil.rmtree(self.sysroot / name)
            else:
                (self.sysroot / name).unlink(missing_ok=True)
        self.write_tools()
        if self.run("true").returncode != 0:
            raise CannotMake("no namespace here in which programs for arm64 could run")
        if not (SOURCE / "configure").exists():
            log("generating configure")
            self.demand("autoreconf", "autoreconf", "-i")
        words = [str(SOURCE / "configure"), f"--host={PREFIX.rstrip('-')}"]
        words += [f"CPPFLAGS={' '.join(self.include_flags())}"]
        words += [f"LDFLAGS={' '.join(self.link_flags())}"]
        if not (BUILD / "Makefile").exists() or not is_written(CONFIGURED, words):
            log("configuring")
            self.demand("configure", *words, folder=BUILD)
            CONFIGURED.write_text("\n".join(words), encoding="utf-8")
        log("building")
        jobs = f"-j{os.cpu_count() or 1}"
        self.demand("make", "make", "-s", jobs, folder=BUILD)

    def include_flags(self) -> list[str]:
        """Behind the compiler's own folders."""
        folder = self.sysroot / "usr/include"
        return [f"-idirafter {folder}", f"-idirafter {folder}/aarch64-linux-gnu"]

    def link_flags(self) -> list[str]:
        # Both, as a root of unpacked packages has two folders of them.
        folders = [self.sysroot / top / "aarch64-linux-gnu" for top in ("usr/lib", "lib")]
        return [f"-L{TOOLS}/lib", *(f"-Wl,-rpath-link,{folder}" for folder in folders)]

    def write_tools(self) -> None:
        """Compilers for arm64 by the names that tests know."""
        libraries = TOOLS / "lib"
        libraries.mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            (libraries / name).unlink(missing_ok=True)
            (libraries / name).symlink_to(
                self.sysroot / "usr/lib/aarch64-linux-gnu" / name
            )
        flags = " ".join([COMPILER_FLAGS, *self.include_flags(), *self.link_flags()])
        for name in ("gcc", "g++"):
            tool = TOOLS / name
            text = f'#!/bin/sh\nexec {PREFIX}{name} {flags} "$@"\n'
            tool.write_text(text, encoding="ascii")
            tool.chmod(0o755)

    # -- What runs --------------------------------------------------------------------

    def measure_programs(self, choice: Choice, log: Log) -> Sum:
        """Programs of the distribution, each way of measuring."""
        result = self.try_programs(log)
        result.add(self.compare_caches(log))
        result.add(self.try_host_caches(log))
        result.add(self.try_stored_translations(log))
        if not choice.quick:
            self.report_speed(log)
        return result

    def try_programs(self, log: Log) -> Sum:
        """Programs of the distribution; the tool checks its own structures."""
        result = Sum()
        for words in (["true"], ["ls", "-la", "."], ["bzip2", "-9", "-c", __file__]):
            said = self.measure(["--ct-check=yes"], [self.program(words[0]), *words[1:]])
            if said is None:
                log(f"FAIL: {' '.join(words)}")
                result.failed += 1
            else:
                result.passed += 1
        return result

    def program(self, name: str) -> str:
        places = [self.sysroot / folder / name for folder in ("usr/bin", "bin")]
        return str(next((place for place in places if place.exists()), places[0]))

    def stock_tools(self) -> Path:
        STOCK.unlink(missing_ok=True)
        STOCK.symlink_to(self.sysroot / "usr/libexec/valgrind")
        return STOCK

    def measure(
        self, options: Sequence[str], program: Sequence[str], stock: bool = False
    ) -> Optional[dict[str, int]]:
        """The totals of a run by event; None if it fails, once that has been shown."""
        launcher = BUILD / "vg-in-place"
        if stock:
            launcher = self.sysroot / "usr/bin/valgrind"
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder, "profile")
            words = ["env"]
            if stock:
                words.append(f"VALGRIND_LIB={self.stock_tools()}")
            words += [str(launcher), "-q", "--tool=callgrind", *options]
            words.append(f"--callgrind-out-file={profile}")
            done = self.run(*words, *program, folder=Path(folder))
            if done.returncode == 0 and profile.exists():
                return totals(profile.read_text(encoding="utf-8"))
        print(done.stdout)
        return None

    def compare_caches(self, log: Log) -> Sum:
        """The events of simulated caches and branches, as stock counts them but for a
        thousandth: the environments of the two runs differ."""
        options = ["--cache-sim=yes", "--branch-sim=yes", *CACHES]
        program = [self.program("bzip2"), "-9", "-c", __file__]
        ours = self.measure(options, program)
        theirs = self.measure(options, program, stock=True)
        if ours is None or theirs is None:
            return Sum(failed=1)
        wrong = {
            event: (count, theirs.get(event))
            for event, count in ours.items()
            if abs(count - theirs.get(event, 0)) > max(20, count // 1000)
        }
        if not wrong:
            return Sum(passed=1)
        log(f"FAIL: caches and branches: (ours, stock's) differ: {wrong}")
        return Sum(failed=1)

    def try_host_caches(self, log: Log) -> Sum:
        """The caches that are simulated unasked: those of the processor, as the kernel
        has them (of this machine: the emulator shows its files)."""
        expected = kernels_caches()
        if expected is None:
            log("skipped: the kernel does not know this processor's caches")
            return Sum(skipped=1)
        with tempfile.TemporaryDirectory() as folder:
            words = [str(BUILD / "vg-in-place"), "-v", "-v", "--tool=callgrind"]
            words += ["--cache-sim=yes", f"--callgrind-out-file={folder}/profile"]
            said = self.run(*words, self.program("true"), folder=Path(folder)).stdout
        found = [
            tuple(int(number.replace(",", "")) for number in shape)
            for shape in re.findall(r"(?:I1|D1): ([\d,]+) B, (\d+)-way, (\d+) B", said)
        ]
        if found == expected:
            return Sum(passed=1)
        log(f"FAIL: host's caches: found {found}, the kernel says {expected}")
        return Sum(failed=1)

    def try_stored_translations(self, log: Log) -> Sum:
        """With translations that a run before has stored a program counts the same; and
        nearly all are used.  VEX makes each once more, to compare.  (The guest's bytes
        have changed where the core puts its own code in.)"""
        counts, said = [], ""
        with tempfile.TemporaryDirectory() as folder:
            for profile in (Path(folder, "cold"), Path(folder, "warm")):
                words = [str(BUILD / "vg-in-place"), "--tool=callgrind", "--stats=yes"]
                words += [f"--translation-cache={folder}/stored", "--ct-check=yes"]
                words.append(f"--callgrind-out-file={profile}")
                words += [self.program("bzip2"), "-9", "-k", "-c", str(ENTER)]
                said = self.run(*words, folder=Path(folder)).stdout
                if profile.exists():
                    counts.append(totals(profile.read_text(encoding="utf-8")))
        found = STORED.search(said)
        used, changed, unfit = map(int, found.groups()) if found else (0, 0, 0)
        if len(counts) == 2 and counts[0] == counts[1] and used > 100 * (changed + unfit):
            return Sum(passed=1)
        print(said)
        log(f"FAIL: stored translations: cold and warm count {counts}")
        return Sum(failed=1)

    def report_speed(self, log: Log) -> None:
        """How long a program takes, under the emulator; nothing is demanded of it."""
        program = [self.program("bzip2"), "-9", "-c", __file__]
        stock = [f"VALGRIND_LIB={self.stock_tools()}"]
        stock += [str(self.sysroot / "usr/bin/valgrind"), "-q"]
        ours = [str(BUILD / "vg-in-place"), "-q", "--tool=callgrind"]
        taken = {}
        for name, words in {
            "none": [*stock, "--tool=none"],
            "ours": [*ours, "--callgrind-out-file=/dev/null"],
            "stock": [*stock, "--tool=callgrind", "--callgrind-out-file=/dev/null"],
        }.items():
            begin = time.monotonic()
            self.run("env", *words, *program)
            taken[name] = time.monotonic() - begin
        for name in ("ours", "stock"):
            ratio = taken[name] / taken["none"]
            log(f"bzip2: {name} {taken[name]:.1f} s, {ratio:.2f} times as long as none")

    def run_generated(self, choice: Choice, log: Log) -> Sum:
        """The generated programs that count their own calls: all of a default run, or one
        of each kind."""
        chosen = list(QUICK_SEEDS) if choice.quick else []
        words = ["tests/groundtruth/run", "--brief", "-n", choice.jobs]
        log(" ".join([*words, *chosen, *choice.for_pytest]))
        return self.tests(*words, *chosen, *choice.for_pytest)

    def run_regression(self, choice: Choice, log: Log) -> Sum:
        """The regression tests, but for those that are left out by name."""
        table = regression_arm64.reasons()
        sources = regression_arm64.link_sources(BUILD / "sources", table)
        programs = BUILD / "callgrind" / "tests"
        self.demand("building test programs", "tests/build_programs", str(sources),
                    str(programs), str(SOURCE / "include"),
                    str(self.sysroot / "usr/include/valgrind"))
        chosen = regression_arm64.choose(table)
        for reason, tests in chosen.left_out.items():
            log(f"{len(tests)} regression tests are left out: {reason}")
        left_out = [test for tests in chosen.left_out.values() for test in tests]
        words = ["tests/run_suites", f"--jobs={choice.jobs}", REGRESSION]
        words += ["--quick"] if choice.quick else []
        log(" ".join(words))
        deselected = [f"--deselect={test.relative_to(SOURCE)}" for test in left_out]
        return self.tests(*words, "--", *deselected, *choice.for_pytest)

    def run_sampler(self, choice: Choice, log: Log) -> Sum:
        """That it starts, and its unwinder on stacks that were recorded there."""
        said = self.run(str(BUILD / "callgrind_sample"), "--version").stdout
        if not said.startswith("callgrind_sample"):
            print(said)
            log("FAIL: callgrind_sample does not start")
            return Sum(failed=1)
        words = ["tests/run_suites", f"--jobs={choice.jobs}", SAMPLER]
        words += ["--quick"] if choice.quick else []
        log(" ".join(words))
        others = [f"--deselect={test.relative_to(SOURCE)}"
                  for test in sorted((SOURCE / "tests/sampler").glob("test_*.py"))
                  if test.name not in OF_SAMPLER]
        return self.tests(*words, "--", *others, *choice.for_pytest)

    def tests(self, *words: str) -> Sum:
        with subprocess.Popen(
            self.command("env", f"VG_BUILD={BUILD}", *words),
            cwd=SOURCE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            return shown(process.stdout)


def is_written(path: Path, lines: Sequence[str]) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == "\n".join(lines)


def kernels_caches() -> Optional[list[tuple[int, ...]]]:
    """I1 and D1: size, ways, length of lines; None where the kernel does not say."""
    shapes = {}
    for index in KERNELS_CACHES.glob("index*"):
        try:
            level, kind, size, ways, line = (
                (index / name).read_text(encoding="ascii").strip()
                for name in ("level", "type", "size", "ways_of_associativity",
                             "coherency_line_size")
            )
        except OSError:
            return None
        if level == "1":
            shapes[kind] = (int(size.rstrip("K")) * 1024, int(ways), int(line))
    if set(shapes) != {"Instruction", "Data"}:
        return None
    return [shapes["Instruction"], shapes["Data"]]


def totals(profile: str) -> dict[str, int]:
    """The sums of a profile by event."""
    events: list[str] = []
    for line in profile.splitlines():
        name, _, rest = line.partition(":")
        if name == "events":
            events = rest.split()
        elif name in ("totals", "summary") and events:
            return dict(zip(events, map(int, rest.split())))
    return {}
