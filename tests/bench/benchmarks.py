# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the set `runner`: what CodSpeed's runner starts, one entry each.

Owns the table. The programs ask for instrumentation themselves, as the runner's
integrations do, or never do: then they run with instrumentation off. Sizes are such that
stock takes one to ten seconds.
"""

from __future__ import annotations

from tests.bench.inputs import (
    BZIP2,
    compiled,
    compiler_proper,
    installed,
    library,
    script,
    text_and_archive,
    tinybench,
    together,
)
from tests.bench.workload import Workload

PYTHON = "/usr/bin/python3"
NODE = "/usr/bin/node"

# The integration asks for these, and does nothing without some of them.
NODE_OPTIONS = (
    "--interpreted-frames-native-stack",
    "--allow-natives-syntax",
    "--hash-seed=1",
    "--random-seed=1",
    "--no-opt",
    "--predictable",
    "--predictable-gc-schedule",
    "--expose-gc",
    "--no-concurrent-sweeping",
    "--max-old-space-size=4096",
)
PLUGIN = together(installed(NODE), script("tinybench.mjs"), tinybench)
PLUGIN_COMMAND = ("{program}", *NODE_OPTIONS, "{script}", "{folder}", "{size}")
SMALL = together(installed(PYTHON), library("requests.c"), script("small.py"))
SCRIPT_COMMAND = ("{program}", "-S", "-s", "-B", "{script}", "{library}", "{size}")

BENCHMARKS: tuple[Workload, ...] = (
    Workload(
        "plugin",
        "four benchmarks of tinybench, by CodSpeed's plugin in node",
        PLUGIN,
        (PLUGIN_COMMAND,),
        quick=1,
        full=4,
        long=8,
        asks=True,
    ),
    Workload(
        "sixty",
        "the same, sixty benchmarks in one process",
        PLUGIN,
        (PLUGIN_COMMAND,),
        quick=10,
        full=60,
        long=240,
        asks=True,
    ),
    Workload(
        "pytest",
        "benchmarks in python3, as pytest's plugin runs them",
        together(installed(PYTHON), library("requests.c"), script("benchmarks.py")),
        (SCRIPT_COMMAND,),
        quick=2,
        full=6,
        long=10,
        asks=True,
    ),
    Workload(
        "small",
        "small benchmarks in python3, one after another",
        SMALL,
        (SCRIPT_COMMAND,),
        quick=10,
        full=42,
        long=420,
        asks=True,
    ),
    Workload(
        "cxx",
        "benchmarks in C++, each between START and STOP",
        compiled("benchmarks.cpp"),
        (("{program}", "{size}"),),
        quick=2_000,
        full=50_000,
        long=500_000,
        asks=True,
    ),
    Workload(
        "off-true",
        "start and end of a process, four times over",
        installed("/bin/true"),
        (("{program}",),) * 4,
        quick=1,
        full=1,
        long=1,
        asks=False,
    ),
    Workload(
        "off-json",
        "python3 imports json",
        installed(PYTHON),
        (("{program}", "-c", "import json"),),
        quick=1,
        full=1,
        long=1,
        asks=False,
    ),
    Workload(
        "off-perl",
        "hashes, sorting, regular expressions in perl",
        together(installed("/usr/bin/perl"), script("words.pl")),
        (("{program}", "{script}", "{size}"),),
        quick=2,
        full=12,
        long=600,
        asks=False,
    ),
    Workload(
        "off-bzip2",
        "compresses generated text",
        together(installed(BZIP2), text_and_archive),
        (("{program}", "--best", "--stdout", "{text}"),),
        quick=1_200,
        full=5_000,
        long=300_000,
        asks=False,
    ),
    Workload(
        "off-python3",
        "json, re, recursion in CPython",
        together(installed(PYTHON), script("interpreted.py")),
        (("{program}", "-S", "-s", "-B", "{script}", "{size}"),),
        quick=5,
        full=40,
        long=2_000,
        asks=False,
    ),
    Workload(
        "off-cc1",
        "gcc's compiler proper, on a small program",
        compiler_proper("compiled.c"),
        (("{program}", "-fpreprocessed", "-quiet", "-O{size}", "-o", "-", "{source}"),),
        quick=0,
        full=0,
        long=2,
        asks=False,
    ),
    Workload(
        "off-node",
        "words and recursion in node, with its compilers",
        together(installed(NODE), script("words.js")),
        (("{program}", "{script}", "{size}"),),
        quick=1,
        full=20,
        long=20_000,
        asks=False,
    ),
)
