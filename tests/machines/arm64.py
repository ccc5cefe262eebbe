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
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Optional, Sequence

from tests.machines import regression_arm64
from tests.machines.bundle_arm64 import try_bundle
from tests.machines.choice import PACKAGE, Choice, Sum, shown
from tests.machines.compared_arm64 import (
    COMPARED,
    TIMED,
    Calls,
    Program,
    calls_among_own,
    difference,
)
from tests.machines.debian_root import CannotMake, Log, Root, Wanted, log_of, provided
from tests.machines.other_debian import PACKAGES_BEFORE, failure, install_package

SOURCE = Path(__file__).resolve().parents[2]
ENTER = Path(__file__).resolve().parent / "enter_arm64.sh"
BUILD = SOURCE / "build" / "arm64"
HERE = SOURCE / "build" / "vg-in-place"  # that of this machine
SPEED_ROUNDS = 3
# What runs there: PROGRAMS is what this module does itself.
PROGRAMS, GROUND_TRUTH, REGRESSION = "programs", "groundtruth", "regression"
SAMPLER, SIMULATORS, BUNDLE = "sampler", "simulators", "bundle"
SUITES = (PROGRAMS, SAMPLER, SIMULATORS, REGRESSION, GROUND_TRUTH, BUNDLE, PACKAGE)
LEFT_OUT_IF_QUICK = (PACKAGE,)
# The tests of the sampler that need no samples, nor fixtures of another machine: an
# emulator has no events.  Those of the simulators that do not load them into Python,
# which is this machine's, and are not about instructions of amd64.
PARTS = {
    SAMPLER: ("test_recorded.py", "test_event.py", "test_hostile.py"),
    SIMULATORS: ("test_same_as_stock.py",),
}
# Those of the bundle that start no program of this machine in it.
BUNDLE_TESTS = "test_bundle and (Contents or Reproducible)"
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
COMPILERS, EDITORS = ("gcc", "g++"), ("objcopy", "strip")
NEEDED = (*(f"{PREFIX}{name}" for name in COMPILERS), "autoreconf", "make", "pkg-config")
# What the tool is linked to, what programs need, and some that are measured.
PACKAGES = ("valgrind", "libc6-dev", "libstdc++6", "libgcc-s1", "coreutils", "bzip2",
            "libdw-dev", "libiberty-dev", "libbz2-dev")
# Of these the linker is shown no others: the cross compiler has a C library of its own.
# The bundle's sampler is linked statically.
LIBRARIES = ("libdw.so", "libelf.so", "libiberty.a", "libdw.a", "libelf.a", "libbz2.a",
             "libz.a", "liblzma.a")
# Their atomic operations would be calls: generated programs count without any.
COMPILER_FLAGS = "-mno-outline-atomics"
# What speaks to programs that run.  vgdb may not stop them, as the emulator is what it
# would see; so they answer when they next look.  And what it says of them is as on such a
# machine: without the emulator, which the kernel has put before their own words.
VGDB = """\
#!/bin/sh
for word; do
   if [ "$word" = -l ]; then
      {vgdb} "$@" | sed 's|{emulator} [^ ]* ||'
      exit
   fi
done
exec {vgdb} --max-invoke-ms=0 "$@"
"""
VERSION = re.compile(r"version (\d+)")
# What --stats=yes says of stored translations.
STORED = re.compile(r"cache: (\d+) used, \d+ stored, (\d+) changed, (\d+) unfit")
# Of each kind of generated programs.
QUICK_SEEDS = ("--seeds", "26")
MADE_PACKAGES = "callgrind-exact_*.deb"
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")


def check_arm64(choice: Choice) -> int:
    log = log_of("arm64")
    # What is meant for pytest, the ground truth understands where nobody is named.
    suites = choice.suites_of((GROUND_TRUTH,) if choice.for_pytest else SUITES)
    if choice.quick and not choice.suites:
        suites = tuple(name for name in suites if name not in LEFT_OUT_IF_QUICK)
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
                result.add(machine.start_sampler(log))
                result.add(machine.run_part(SAMPLER, choice, log))
            if SIMULATORS in suites:
                result.add(machine.run_part(SIMULATORS, choice, log))
            if REGRESSION in suites:
                result.add(machine.run_regression(choice, log))
            if GROUND_TRUTH in suites:
                result.add(machine.run_generated(choice, log))
            if BUNDLE in suites:
                result.add(machine.try_bundle(choice, log))
            if PACKAGE in suites:
                result.add(machine.try_package(log))
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

    def version_of_emulator(self) -> int:
        said = subprocess.run([self.emulator, "--version"], stdout=subprocess.PIPE,
                              text=True, check=False).stdout
        found = VERSION.search(said)
        return int(found[1]) if found else 0

    # -- Building ---------------------------------------------------------------------

    def build(self, root: Root, log: Log) -> None:
        self.sysroot = root.folder
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
        """Compilers for arm64, what edits their output, and Valgrind's own tools, by the
        names that tests know."""
        libraries = TOOLS / "lib"
        libraries.mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            (libraries / name).unlink(missing_ok=True)
            (libraries / name).symlink_to(
                self.sysroot / "usr/lib/aarch64-linux-gnu" / name
            )
        flags = " ".join([COMPILER_FLAGS, *self.include_flags(), *self.link_flags()])
        texts = {name: f'#!/bin/sh\nexec {PREFIX}{name} {flags} "$@"\n'
                 for name in COMPILERS}
        texts |= {name: f'#!/bin/sh\nexec {PREFIX}{name} "$@"\n' for name in EDITORS}
        programs = self.sysroot / "usr/bin"
        texts["vgdb"] = VGDB.format(vgdb=programs / "vgdb", emulator=self.emulator)
        # It takes the vgdb that lies beside it.
        control = "callgrind_control"
        texts[control] = (programs / control).read_text(encoding="utf-8")
        for name, text in texts.items():
            (TOOLS / name).write_text(text, encoding="utf-8")
            (TOOLS / name).chmod(0o755)

    # -- What runs --------------------------------------------------------------------

    def measure_programs(self, choice: Choice, log: Log) -> Sum:
        """Programs of the distribution, each way of measuring."""
        result = self.try_programs(log)
        result.add(self.compare_caches(log))
        result.add(self.try_host_caches(log))
        result.add(self.try_stored_translations(log))
        result.add(self.compare_calls(log))
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

    def write_stock(self) -> Path:
        """What runs the distribution's valgrind of that machine."""
        launcher = BUILD / "stock_valgrind"
        text = f"""#!/bin/sh
VALGRIND_LIB={self.stock_tools()} exec {self.sysroot}/usr/bin/valgrind "$@"
"""
        launcher.write_text(text, encoding="utf-8")
        launcher.chmod(0o755)
        return launcher

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

    def compare_calls(self, log: Log) -> Sum:
        """Calls among a program's own functions: as in its build for this machine."""
        if not HERE.exists():
            log(f"skipped: calls as here: {HERE.relative_to(SOURCE)} is not built")
            return Sum(skipped=1)
        result = Sum()
        for program in COMPARED:
            with tempfile.TemporaryDirectory() as folder:
                ours = self.calls_of(program, Path(folder), is_here=False)
                others = self.calls_of(program, Path(folder), is_here=True)
            said = difference(ours, others)
            if said or sum(ours.values()) < program.least:
                log(f"FAIL: calls of {program.name}: {said or 'too few'}")
                result.failed += 1
            else:
                result.passed += 1
        return result

    def calls_of(self, program: Program, folder: Path, is_here: bool) -> Calls:
        built, profile = folder / program.source.stem, folder / "profile"
        compiler = "gcc" if is_here else str(TOOLS / "gcc")
        launcher = HERE if is_here else BUILD / "vg-in-place"
        (folder / "input").write_text(program.input, encoding="ascii")
        profile.unlink(missing_ok=True)
        for words in (
            program.build_words(compiler, built),
            ["sh", "-c", 'exec "$@" < input', "sh", str(launcher), "-q",
             "--tool=callgrind", f"--callgrind-out-file={profile}", str(built),
             *program.arguments],
        ):
            command = words if is_here else self.command(*words)
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace",
                                  check=False)
            if done.returncode != 0:
                print(done.stdout)
                return Counter()
        return calls_among_own(profile, built)

    def report_speed(self, log: Log) -> None:
        """How much processor time programs take, under the emulator; nothing is demanded
        of it."""
        with tempfile.TemporaryDirectory() as folder:
            bzip2 = [self.program("bzip2"), "-9", "-c", str(SOURCE / "docs/manual.md")]
            self.report_ratios("bzip2", bzip2, log)
            for program in TIMED:
                built = Path(folder, program.source.stem)
                self.demand("a program", *program.build_words(str(TOOLS / "gcc"), built))
                name = " ".join([program.source.stem, *program.arguments])
                self.report_ratios(name, [str(built), *program.arguments], log)

    def report_ratios(self, name: str, program: Sequence[str], log: Log) -> None:
        ours = str(BUILD / "vg-in-place")
        out = "--callgrind-out-file=/dev/null"
        stock = str(self.write_stock())
        ways = {
            "none": [stock, "-q", "--tool=none"],
            "stock": [stock, "-q", "--tool=callgrind", out],
            "ours": [ours, "-q", "--tool=callgrind", out],
        }
        taken = {way: [] for way in ways}  # type: dict[str, list[float]]
        for _ in range(SPEED_ROUNDS):
            for way, words in ways.items():
                before = processor_time()
                self.run(*words, *program)
                taken[way].append(processor_time() - before)
        none, stocks, mine = (statistics.median(taken[way]) for way in ways)
        log(f"{name}: none {none:.1f} s, stock {stocks / none:.2f} times that, ours"
            f" {mine / none:.2f}")

    def run_generated(self, choice: Choice, log: Log) -> Sum:
        """The generated programs that count their own calls: all of a default run, or one
        of each kind."""
        chosen = list(QUICK_SEEDS) if choice.quick else []
        chosen += ["--long"] if choice.long else []
        chosen += ["--warm"] if choice.warm else []
        words = ["tests/groundtruth/run", "--brief", "-n", choice.jobs]
        log(" ".join([*words, *chosen, *choice.for_pytest]))
        return self.tests(*words, *chosen, *choice.for_pytest)

    def run_regression(self, choice: Choice, log: Log) -> Sum:
        """The regression tests, but for those that are left out by name."""
        table = regression_arm64.reasons()
        sources = regression_arm64.link_sources(BUILD / "sources", table)
        programs = BUILD / "callgrind" / "tests" / "programs"
        self.demand("building test programs", "tests/build_programs", str(sources),
                    str(programs), str(SOURCE / "include"),
                    str(self.sysroot / "usr/include/valgrind"))
        chosen = regression_arm64.choose(table, self.version_of_emulator())
        for reason, tests in chosen.left_out.items():
            log(f"{len(tests)} regression tests are left out: {reason}")
        left_out = [test for tests in chosen.left_out.values() for test in tests]
        words = ["tests/run_suites", f"--jobs={choice.jobs}", REGRESSION]
        words += ["--quick"] if choice.quick else []
        words += ["--warm"] if choice.warm else []
        log(" ".join(words))
        deselected = [f"--deselect={test.relative_to(SOURCE)}" for test in left_out]
        return self.tests(*words, "--", *deselected, *choice.for_pytest)

    def start_sampler(self, log: Log) -> Sum:
        said = self.run(str(BUILD / "callgrind_sample"), "--version").stdout
        if not said.startswith("callgrind_sample"):
            print(said)
            log("FAIL: callgrind_sample does not start")
            return Sum(failed=1)
        return Sum(passed=1)

    def run_part(self, suite: str, choice: Choice, log: Log) -> Sum:
        """The tests of a suite that can run there."""
        words = ["tests/run_suites", f"--jobs={choice.jobs}", suite]
        words += ["--quick"] if choice.quick else []
        words += ["--long"] if choice.long else []
        log(" ".join(words))
        others = [f"--deselect={test.relative_to(SOURCE)}"
                  for test in sorted((SOURCE / "tests" / suite).glob("test_*.py"))
                  if test.name not in PARTS[suite]]
        return self.tests(*words, "--", *others, *choice.for_pytest)

    def try_bundle(self, choice: Choice, log: Log) -> Sum:
        """Make the bundle, run what is in it, and, but with --quick, look what that is
        and whether a second one is the same."""
        result = try_bundle(self, BUILD, TOOLS / "gcc", choice.quick, log)
        if not choice.quick and result.failed == 0:
            words = ["tests/run_suites", f"--jobs={choice.jobs}", "build", "--"]
            log(" ".join([*words, "-k", BUNDLE_TESTS]))
            result.add(self.tests(*words, "-k", BUNDLE_TESTS))
        return result

    def try_package(self, log: Log) -> Sum:
        """Make the package, and install, use and remove it in a root of that machine."""
        for path in BUILD.glob(MADE_PACKAGES):
            path.unlink()
        log("making a package")
        self.demand("make deb", "make", "-s", "deb", folder=BUILD)
        made = next(BUILD.glob(MADE_PACKAGES))
        result = self.judge_package(made, log)
        wanted = Wanted(release(), "arm64", PACKAGES_BEFORE, "install",
                        emulator=self.emulator)
        try:
            result.add(install_package(made, wanted, log))
        except CannotMake as reason:
            log(f"skipped: installing the package: {reason}")
            result.skipped += 1
        return result

    def judge_package(self, made: Path, log: Log) -> Sum:
        if shutil.which("lintian") is None:
            log("skipped: lintian is not installed: nothing judges the package")
            return Sum(skipped=1)
        done = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", str(made)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        if done.returncode != 0:
            return failure("lintian", done.stdout, log)
        return Sum(passed=1)

    def tests(self, *words: str) -> Sum:
        stock = f"VG_STOCK={self.write_stock()}"
        with subprocess.Popen(
            self.command("env", f"VG_BUILD={BUILD}", stock, *words),
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


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
