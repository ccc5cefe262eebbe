# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures kernels and programs, natively and under the tool.  Owns: which programs there
# are, and the table that is printed.

"""What `make bench-cycles` does."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.bench.cycles.agreement import common_scale, errors, rank_correlation

HERE = Path(__file__).resolve().parent
INPUT_BYTES = 3 << 20
# Valgrind shows a Haswell to the program, for which glibc has other string functions than
# for most processors that this runs on.  So it is told to take them natively, too.
TUNABLES = ":".join((
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-RTM,-FSRM,-Prefer_No_VZEROUPPER,"
    "-Avoid_Short_Distance_REP_MOVSB",
    "glibc.cpu.x86_rep_movsb_threshold=8192",
    "glibc.cpu.x86_non_temporal_threshold=2097152"))
# How often a kernel runs in a row.
CHUNKS = 50

# By --set: the kernels that were seen when the model was made, and those that were not.
SETS = {"first": ["kernels"], "unseen": ["kernels_unseen_assembly", "kernels_unseen"],
        "all": ["kernels", "kernels_unseen_assembly", "kernels_unseen"]}

PROGRAMS = {
    "bzip2": ["bzip2", "-kc", "{input}"],
    "gzip": ["gzip", "-9c", "{input}"],
    "xz": ["xz", "-1c", "{input}"],
    "sort": ["sort", "{lines}"],
    "awk": ["awk", "{{ n[$1 % 97]++; s += length($0) }} END {{ print s }}", "{lines}"],
    "perl": ["perl", "-e", "for (1..400000) {{ $h{{$_ % 1000}} += $_ * 3 }} print %h"],
    "python_json": ["/usr/bin/python3", "-S", "-c",
                    "import json; d = [dict(a=i, b=str(i), c=[i] * 5)"
                    " for i in range(3000)]\n"
                    "for _ in range(6): json.loads(json.dumps(d))"],
    "python_loop": ["/usr/bin/python3", "-S", "-c",
                    "s = 0\nfor i in range(900000): s += i * i % 7"],
}  # fmt: skip


@dataclass
class Row:
    """A kernel or program: what a turn of it takes, and the events of one.  The turn of a
    program is a whole run."""

    name: str
    family: str
    seconds: float
    events: dict[str, float]


# Models by Intel's numbers of the family 6 (CPUID); Xeons and their like.
INTEL = {
    "haswell": (60, 61, 63, 69, 70, 71, 79, 86),
    "skylake": (78, 85, 94, 142, 158),
    # Ice Lake, Tiger Lake and Rocket Lake, which LLVM takes for the same.
    "icelake-server": (106, 108, 125, 126, 140, 141, 167),
    "sapphirerapids": (143, 207),
    "graniterapids": (173, 174),
}


def model_of(cpuinfo: str, code_cache: int = 32) -> str | None:
    """The model for the processor that /proc/cpuinfo describes, with so many kilobytes of
    a first level for code, if there is one.  A virtual machine may show the number of an
    older processor with features that only a newer one has."""

    def number(name: str) -> int:
        found = re.search(rf"^{name}\s*: (\d+)$", cpuinfo, re.M)
        return int(found.group(1)) if found else -1

    family, kind = number("cpu family"), number("model")
    if "AuthenticAMD" in cpuinfo and family == 25:
        return "znver4" if 0x10 <= kind < 0x20 or 0x60 <= kind < 0xb0 else "znver3"
    if "GenuineIntel" not in cpuinfo or family != 6:
        return None
    found = next((name for name, kinds in INTEL.items() if kind in kinds), None)
    if "amx_tile" in cpuinfo and found not in ("sapphirerapids", "graniterapids"):
        return "graniterapids" if code_cache == 64 else "sapphirerapids"
    return found


def user_seconds(command: list[str]) -> float:
    """Of one run."""
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    if status != 0:
        raise SystemExit(f"{command[0]} has ended with status {status}")
    return usage.ru_utime


def least(command: list[str], rounds: int) -> float:
    return min(user_seconds(command) for _ in range(rounds))


def events_of(launcher: str, options: list[str], command: list[str]) -> dict[str, float]:
    """What the tool counts."""
    with tempfile.TemporaryDirectory(prefix="bench_cycles.") as folder:
        out = Path(folder, "profile")
        subprocess.run(
            [launcher, "-q", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes",
             "--cycle-estimation=yes", f"--callgrind-out-file={out}", *options, *command],
            stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        text = out.read_text(errors="replace")
    names = re.findall(r"^events: (.*)$", text, re.M)[-1].split()
    total = [int(word) for word in re.findall(r"^totals: (.*)$", text, re.M)[-1].split()]
    total += [0] * (len(names) - len(total))
    found: dict[str, float] = dict(zip(names, map(float, total)))
    first = found["I1mr"] + found["D1mr"] + found["D1mw"]
    last = found["ILmr"] + found["DLmr"] + found["DLmw"]
    found["Ir+10L1+100LL"] = found["Ir"] + 10 * first + 100 * last
    return found


# Kilobytes of the last level that servers with this processor have for each core.
SLICES = {"haswell": 2560, "skylake": 1408, "icelake-server": 1536,
          "sapphirerapids": 1920, "graniterapids": 4096, "znver3": 4096, "znver4": 4096}


def caches_of(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What the kernel shows of a processor's caches, as "1Data", "1Instruction",
    "3Unified": kilobytes, ways, and bytes of a line."""
    caches = {}
    for cache in folder.glob("index*"):
        level, kind, size, ways, line = ((cache / name).read_text().strip() for name in (
            "level", "type", "size", "ways_of_associativity", "coherency_line_size"))
        caches[level + kind] = int(size.rstrip("K")), int(ways), int(line)
    return caches


def last_level(caches: dict[str, tuple[int, int, int]],
               share: int | None = None) -> str | None:
    """As --LL takes it, from what the kernel shows of a processor's caches.  The tool
    itself asks the processor, which in a virtual machine may speak of more.  The number
    of sets is rounded down to a power of two, as only such can be simulated.  A virtual
    machine that has others beside it has no more than its share in kilobytes."""
    if not caches:
        return None
    size, ways, line = caches[max(caches)]
    if share is not None:
        size = min(size, share)
    sets = 1 << (size * 1024 // (ways * line)).bit_length() - 1
    return f"{sets * ways * line},{ways},{line}"


def share_of(cpuinfo: str, model: str) -> int | None:
    """How many kilobytes of the last level are those of the processors of this virtual
    machine; nothing if it is no virtual machine."""
    is_virtual = re.search(r"^flags.*\bhypervisor\b", cpuinfo, re.M)
    return SLICES[model] * len(os.sched_getaffinity(0)) if is_virtual else None


@dataclass
class Kernel:
    """What a program of kernels lists."""

    program: str
    name: str
    family: str
    times: str
    turns: int
    nanoseconds: int = 0    # the least that `times` have taken


def time_kernels(arguments: argparse.Namespace, kernels: list[Kernel]) -> None:
    """All in turn, again and again: what disturbs one seldom disturbs it each time."""
    for _ in range(arguments.rounds):
        for kernel in kernels:
            done = subprocess.run(
                [kernel.program, kernel.name, kernel.times, str(CHUNKS)],
                capture_output=True, text=True, check=True)
            taken = int(done.stdout)
            kernel.nanoseconds = min(taken, kernel.nanoseconds or taken)


def kernel_row(arguments: argparse.Namespace, kernel: Kernel) -> Row:
    """The same work natively and under the tool."""
    options = [*arguments.options, "--toggle-collect=run_kernel"]
    found = events_of(arguments.launcher, options,
                      [kernel.program, kernel.name, kernel.times])
    turns = int(kernel.times) * kernel.turns
    return Row(kernel.name, kernel.family, kernel.nanoseconds / 1e9 / turns,
               {event: n / turns for event, n in found.items()})


def program_row(arguments: argparse.Namespace, name: str, command: list[str]) -> Row:
    seconds = 0.0 if arguments.times else least(command, arguments.rounds)
    found = events_of(arguments.launcher, arguments.options, command)
    return Row(name, "program", seconds, found)


def make_inputs(folder: Path) -> dict[str, str]:
    """The same bytes each time: text with repetitions."""
    lines: list[str] = []
    state = 1
    while 20 * len(lines) < INPUT_BYTES:
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        lines.append(f"{state >> 40} {'abcdefgh'[state >> 61:]} {state >> 33 & 1023}")
    text = "\n".join(lines) + "\n"
    (folder / "input").write_text(text[: INPUT_BYTES // 4])
    (folder / "lines").write_text("\n".join(lines[:40000]) + "\n")
    return {"input": str(folder / "input"), "lines": str(folder / "lines")}


def listed_kernels(source: str, folder: Path, wanted: re.Pattern[str]) -> list[Kernel]:
    """Those of SOURCE.c, which is compiled for this machine."""
    program = str(folder / source)
    subprocess.run(
        ["gcc", "-O2", "-mavx2", "-mfma", "-mno-red-zone", "-fno-tree-vectorize",
         "-falign-loops=64", "-falign-functions=64",
         "-o", program, str(HERE / f"{source}.c"), "-lm"], check=True,
    )  # fmt: skip
    listed = subprocess.run([program], capture_output=True, text=True, check=True)
    kernels = []
    for line in listed.stdout.splitlines():
        name, family, times, turns = line.split()
        if wanted.search(name):
            kernels.append(Kernel(program, name, family, times, int(turns)))
    return kernels


def measure(arguments: argparse.Namespace) -> list[Row]:
    rows = []
    wanted = re.compile(arguments.only)
    with tempfile.TemporaryDirectory(prefix="bench_cycles.") as made:
        folder = Path(made)
        kernels = [kernel for source in SETS[arguments.set]
                   for kernel in listed_kernels(source, folder, wanted)]
        if not arguments.times:
            time_kernels(arguments, kernels)
        for kernel in kernels:
            rows.append(kernel_row(arguments, kernel))
            print(f"{kernel.name}: {1e9 * rows[-1].seconds:.2f} ns", flush=True)
        if arguments.set == "unseen":
            return rows
        inputs = make_inputs(folder)
        for name, words in PROGRAMS.items():
            if wanted.search(name) and shutil.which(words[0]):
                command = [word.format(**inputs) for word in words]
                rows.append(program_row(arguments, name, command))
                print(f"{name}: {rows[-1].seconds:.3f} s", flush=True)
    return rows


EVENTS = ("Ir", "Ir+10L1+100LL", "Ct", "Cl", "Cy")


def correlations(event: str, rows: list[Row]) -> list[str]:
    """Of a turn; and of an instruction, where it does not matter how long turns are."""
    by_turn = rank_correlation([row.events[event] for row in rows],
                               [row.seconds for row in rows])
    by_instruction = rank_correlation(
        [row.events[event] / row.events["Ir"] for row in rows],
        [row.seconds / row.events["Ir"] for row in rows])
    return [f"{by_turn:.3f}", f"{by_instruction:.3f}"]


def report(rows: list[Row]) -> list[str]:
    """Lines of Markdown: a table by event, and by family."""
    times = [row.seconds for row in rows]
    kernels = [row for row in rows if row.family != "program"]
    families = sorted({row.family for row in rows})
    lines = ["| event | by turn | by instruction | median error | " +
             " | ".join(families) + " |", "|---|" + "---|" * (len(families) + 3)]
    for event in EVENTS:
        guesses = [row.events[event] for row in rows]
        off = errors(guesses, times, common_scale(guesses, times))
        by_family = [[e for e, row in zip(off, rows) if row.family == family]
                     for family in families]
        cells = correlations(event, kernels)
        cells += [f"{100 * statistics.median(some):.0f} %" for some in [off, *by_family]]
        lines.append(f"| `{event}` | " + " | ".join(cells) + " |")
    return lines


def details(rows: list[Row]) -> list[str]:
    """A line for each row: its time, and what each event makes of it."""
    times = [row.seconds for row in rows]
    scales = {e: common_scale([row.events[e] for row in rows], times) for e in EVENTS}
    lines = [f"{'':20} {'ns':>12} " + " ".join(f"{event:>14}" for event in EVENTS)]
    for row in rows:
        guesses = (1e9 * row.events[event] * scales[event] for event in EVENTS)
        lines.append(f"{row.name:20} {1e9 * row.seconds:12.2f} " +
                     " ".join(f"{guess:14.2f}" for guess in guesses))
    return lines


def main(description: str) -> int:
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build", help="the build folder [build]")
    parser.add_argument("--model", help="--cycle-model [that of this processor]")
    parser.add_argument("--set", choices=SETS, default="all",
                        help="which kernels; programs are of the first set [all]")
    parser.add_argument("--rounds", type=int, default=15, help="native runs [15]")
    parser.add_argument("--only", default="", help="what is run: a regular expression")
    parser.add_argument("--LL", help="the last level [that of this processor]")
    parser.add_argument("--times", type=Path, help="native times from here, as JSON")
    parser.add_argument("--output", type=Path, help="write all numbers here, as JSON")
    parser.add_argument("--input", type=Path, help="show these numbers; measure nothing")
    arguments = parser.parse_args()
    os.environ["GLIBC_TUNABLES"] = TUNABLES
    arguments.launcher = str(Path(arguments.build, "vg-in-place").absolute())
    cpuinfo = Path("/proc/cpuinfo").read_text()
    caches = caches_of(Path("/sys/devices/system/cpu/cpu0/cache"))
    model = arguments.model or model_of(cpuinfo, caches.get("1Instruction", (0,))[0])
    if model is None:
        raise SystemExit("there is no model of this processor; say --model")
    arguments.options = [f"--cycle-model={model}"]
    level = arguments.LL or last_level(caches, share_of(cpuinfo, model))
    if level:
        arguments.options.append(f"--LL={level}")
    if arguments.input:
        rows = [Row(**row) for row in json.loads(arguments.input.read_text())]
    else:
        rows = measure(arguments)
    if arguments.times:
        known = {row["name"]: row["seconds"]
                 for row in json.loads(arguments.times.read_text())}
        rows = [replace(row, seconds=known[row.name]) for row in rows]
    if not rows:
        raise SystemExit(f"no kernel is called {arguments.only}")
    if arguments.output:
        arguments.output.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    print("\n".join([*details(rows), "", *report(rows)]))
    return 0
