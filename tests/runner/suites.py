# SPDX-License-Identifier: GPL-2.0-or-later
#
# The suites.  Owns: their names, which tests each of them has, their order, and which
# tests are the quick ones.  Relies on nothing, so that --list works before anything is
# installed.

"""Which tests make up which suite."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Iterable, Optional


@dataclass(frozen=True)
class Suite:
    name: str
    # Folders and files below the top of the source tree.  A test belongs to the suite
    # that names the innermost of the folders it lies in, or its file.
    paths: tuple[str, ...]
    # Of these tests --quick runs those whose name matches one of the patterns.  A name
    # is the test's file, and for a Python test `::` and what is tested.
    quick: tuple[str, ...]
    # But not these, which take several seconds each.
    slow: tuple[str, ...] = ()
    # Only --long runs these: each takes seconds of a processor, and what it finds has a
    # shorter test of its kind, or is a fault of something that rarely changes.
    long: tuple[str, ...] = ()
    # Of these a long run of a commit has a third (series.py), but all that match here:
    # what many changes can break, and nothing shorter finds.
    each_long: tuple[str, ...] = ()
    # Others of which a run has a third that goes by turns.
    turns: tuple[str, ...] = ()
    # Not among those that run when none is named.
    on_demand: bool = False


# In the order in which they run.  Suites with long tests come first: what runs at the end
# is short, and no processor waits long for another.
SUITES = (
    Suite(
        "programs",
        ("tests/groundtruth/real/test_real_programs.py",),
        # The smallest real program.
        quick=(
            "tests/groundtruth/real/test_real_programs.py::test_real_program[[]true/*",
        ),
        # Large programs with further options: node, cc1 and python3 run with the default
        # ones, and smaller programs with these.
        long=(
            "tests/groundtruth/real/test_real_programs.py::*[[]node/counts]",
            "tests/groundtruth/real/test_real_programs.py::*[[]node/start]",
            "tests/groundtruth/real/test_real_programs.py::*[[]cc1/[cs]*]",
            "tests/groundtruth/real/test_real_programs.py::*[[]python3/[cs]*]",
        ),
    ),
    Suite(
        "runtimes",
        ("tests/runtimes",),
        # None: each starts a virtual machine.
        quick=(),
        on_demand=True,
    ),
    Suite(
        "differential",
        ("tests/differential/test_against_stock.py",),
        # Calls as stock counts them, and the events of one small program.
        quick=(
            "tests/differential/test_against_stock.py::*[[]calls-O2/default]",
            "tests/differential/test_against_stock.py::*[[]strides/branches]",
            "tests/differential/test_against_stock.py::*[[]strides/caches-use]",
        ),
        # Options that a smaller program, or one that is compiled without optimising, is
        # compared with, too; shapes of caches that `strides` has, too.
        long=(
            "tests/differential/test_against_stock.py::*[[]cc1/*]",
            "tests/differential/test_against_stock.py::*[[]python3/*]",
            "tests/differential/test_against_stock.py::*[[]perl/recs-*]",
            "tests/differential/test_against_stock.py::*[[]perl/direct-*]",
            "tests/differential/test_against_stock.py::*[[]perl/caches-*]",
            "tests/differential/test_against_stock.py::*[[]bzip2/[!d]*]",
            "tests/differential/test_against_stock.py::*[[]accesses/caches-[!b]*]",
            "tests/differential/test_against_stock.py::*[[]cond*/caches-[!l]*]",
            "tests/differential/test_against_stock.py::*[[]calls-O2/[!dj]*]",
        ),
    ),
    Suite(
        "allocations",
        ("tests/allocations",),
        # One plain program, and one with threads and a fork.
        quick=("tests/allocations/test_generated.py::test_program[[][04]]",),
        # Programs beside a few that allocate much: awk, grep, gzip, python3, sed, sort.
        long=("tests/allocations/test_against_dhat.py::test_program[[][!agps]*",),
    ),
    Suite(
        "sampler",
        ("tests/sampler",),
        # The command line, hostile input, unwinding; and one program that is sampled.
        quick=(
            "tests/sampler/test_running.py::*",
            "tests/sampler/test_hostile.py::*",
            "tests/sampler/test_unwinding.py::*",
            "tests/sampler/test_recorded.py::*",
            "tests/sampler/test_frames.py::FramesTest::test_[a-d]*",
        ),
        slow=(
            "tests/sampler/test_frames.py::*_handler_on_a_stack_of_its_own",
            "tests/sampler/test_hostile.py::*_moves_much_code",
            # Starts processes until one has a number again.
            "tests/sampler/test_hostile.py::*_with_the_same_number",
            "tests/sampler/test_recorded.py::*_arm64_*",
        ),
        # Programs that are sampled for seconds: stacks larger than what is copied, slow
        # machines, what a recording lacks; and a suite of node.
        long=(
            "tests/sampler/test_client.py::*",
            "tests/sampler/test_copies.py::*_is_proved",
            "tests/sampler/test_copies.py::DeepTest::*",
            "tests/sampler/test_copies.py::SizesTest::*_makes_it_slower",
            "tests/sampler/test_frames.py::*_handler_on_a_stack_of_its_own",
            "tests/sampler/test_frames.py::*_libdw_finds_the_same",
            "tests/sampler/test_frames.py::*_signal_handlers",
            "tests/sampler/test_names.py::*_in_a_file_of_their_own",
            "tests/sampler/test_names.py::*_in_any_order",
            "tests/sampler/test_names.py::*_in_place_of_such_a_file",
            "tests/sampler/test_names.py::*_inlined_lambdas",
            "tests/sampler/test_names.py::*_source_files_of_functions",
            "tests/sampler/test_processes.py::*_backfill*",
            "tests/sampler/test_rate.py::SlowTest::*",
            "tests/sampler/test_recorded.py::*_arm64_*",
            "tests/sampler/test_recorded.py::*_a_cut_stack",
        ),
    ),
    Suite(
        "build",
        ("tests/build",),
        # The launcher in place; that nothing is left to make; what is installed.
        quick=(
            "tests/build/test_launcher.py::InPlace::*",
            "tests/build/test_install.py::Sources::*",
            "tests/build/test_install.py::Install::test_own_files_and_their_modes",
        ),
        # What only changes with configure.ac, Makefile.am and the scripts that set up; a
        # clone that is built; the bundle, which takes a quarter of a minute to make, and
        # what installs and runs it.  One configure runs always.
        long=(
            "tests/build/test_action.py::Running::*",
            "tests/build/test_bundle.py::*",
            "tests/build/test_clang.py::*",
            "tests/build/test_installer.py::*",
            "tests/build/test_configure.py::Accepted::*[!m]",
            "tests/build/test_configure.py::Rechecked::*",
            "tests/build/test_configure.py::ThisBuild::*",
            "tests/build/test_fall_backs.py::*_the_profile_is_the_same",
            "tests/build/test_install.py::Install::*_wherever_it_is_moved",
            "tests/build/test_launcher.py::InstalledWithSpaces::*",
            "tests/build/test_setup.py::Clone::*",
            "tests/build/test_setup.py::Packages::test_check_*",
        ),
        # A new file can be missing in these, and a call of the core not arrive.
        each_long=(
            "tests/build/test_bundle.py::*",
            "tests/build/test_fall_backs.py::*",
            "tests/build/test_setup.py::*",
        ),
    ),
    Suite(
        "groundtruth",
        ("tests/groundtruth/test_programs.py",),
        # One program of every kind: the first that has a C library without lines.
        quick=(
            "tests/groundtruth/test_programs.py::test_program[[]*/2]",
        ),
    ),
    Suite(
        "deaths",
        ("tests/deaths",),
        # A fault, an exit, and what the system would leave no time for.
        quick=(
            "tests/deaths/test_deaths.py::test_death[[]segv-*-all*",
            "tests/deaths/test_deaths.py::test_death[[]kill-*-all*",
            "tests/deaths/test_deaths.py::test_death[[]seccomp-*-all*",
        ),
        # A second of the processor each, by their nature, and more.
        long=(
            "tests/deaths/test_deaths.py::*time-*",
            "tests/deaths/test_deaths.py::*[[]pidfd-alone-*threads=yes]",
            "tests/deaths/test_deaths.py::*[[]bus-main-*threads=yes]",
        ),
        each_long=("tests/deaths/test_deaths.py::*",),  # a part of a series
    ),
    Suite(
        "report",
        ("callgrind/report/tests",),
        # All but the page in a browser, and what npm and other programs are needed for.
        quick=(
            "callgrind/report/tests/test_callgrind_*",
            "callgrind/report/tests/test_[d-e]*",
            "callgrind/report/tests/test_function_costs.py::*",
            "callgrind/report/tests/test_gate_[dfjv]*",
            "callgrind/report/tests/test_matching.py::*",
            "callgrind/report/tests/test_numbers.py::*",
            "callgrind/report/tests/test_profile_*",
            "callgrind/report/tests/test_tree_*",
        ),
        slow=(
            "callgrind/report/tests/test_callgrind_report.py::Script::test_progress_*",
            "callgrind/report/tests/test_ending.py::Surroundings::*",
            "callgrind/report/tests/test_export_pprof.py::*_sum_to_their_totals",
            "callgrind/report/tests/test_gate_spread.py::*",
            "callgrind/report/tests/test_gate_views.py::Shards::*",
            "callgrind/report/tests/test_profile_reader.py::*_cut_anywhere",
            "callgrind/report/tests/test_tree_reader.py::*_random_damage_*",
        ),
        # Many runs and comparisons in a row, for what is rare; random damage; what has
        # Go build its pprof (what it reads is read by protobuf's decoder, too).
        long=(
            "callgrind/report/tests/test_ending.py::*_whose_first_line_has_no_end",
            "callgrind/report/tests/test_export_inlined.py::*_go_tool*",
            "callgrind/report/tests/test_export_pprof.py::*_go_tool*",
            "callgrind/report/tests/test_gate_ci.py::Ci::test_pprof",
            "callgrind/report/tests/test_gate_ci.py::Ci::test_sha*",
            "callgrind/report/tests/test_gate_spread.py::Spreads::*",
            "callgrind/report/tests/test_gate_spread.py::Programs::*",
            "callgrind/report/tests/test_gate_names.py::*_in_proportion",
            "callgrind/report/tests/test_gate_views.py::Shards::*_over_8_shards",
            "callgrind/report/tests/test_firefox_reader.py::*_marks",
            "callgrind/report/tests/test_profile_reader.py::*_cut_anywhere",
            "callgrind/report/tests/test_tree_reader.py::*_random_damage_*",
        ),
    ),
    Suite(
        "simulators",
        ("tests/simulators",),
        # Single accesses and branches; no long random traces.
        quick=(
            "tests/simulators/test_branchsim.py::*",
            "tests/simulators/test_cold_code.py::*",
            "tests/simulators/test_geometry.py::*",
            "tests/simulators/test_same_as_stock.py::*_usual_caches",
        ),
        slow=(
            "tests/simulators/test_branchsim.py::*_random_branches",
            "tests/simulators/test_cold_code.py::*_much_code",
            "tests/simulators/test_cold_code.py::*_it_does_not_matter_when",
        ),
        # Long random traces; most ways and short traces run always.
        long=(
            "tests/simulators/test_cachesim.py::*_all_of_a_large_last_level_*",
            "tests/simulators/test_cachesim.py::*_all_ways",
            "tests/simulators/test_cachesim.py::*_random_traces",
            "tests/simulators/test_cachesim.py::*_long_traces_*",
            "tests/simulators/test_cold_code.py::*_much_code",
            "tests/simulators/test_stock_caches.py::*_with_the_tool",
            "tests/simulators/test_same_as_stock.py::*_other_caches",
        ),
        # Series, of which each run has a part.
        each_long=(
            "tests/simulators/test_cachesim.py::*_random_traces",
            "tests/simulators/test_same_as_stock.py::*_other_caches",
        ),
    ),
    Suite(
        "steady",
        ("tests/steady",),
        # One program in other surroundings, and what it is told of the machine.
        quick=(
            "tests/steady/test_steady.py::Steady::test_c",
            "tests/steady/test_told.py::*",
        ),
        # Interpreters in other surroundings; programs in C and C++ run always.  Each kind
        # of wait, for as long as a wait may be; short waits run always.
        long=(
            "tests/steady/test_steady.py::Steady::test_[npr]*",
            "tests/steady/test_turns.py::Turns::test_in_a_forked_child",
            "tests/steady/test_turns.py::Waits::*_of_each_kind_*",
            "tests/steady/test_turns.py::Turns::*_that_waits_for_ever",
        ),
        each_long=("tests/steady/test_steady.py::Steady::*",),
    ),
    Suite(
        "instructions",
        ("tests/host_instructions",),
        # All forms once.
        quick=("tests/host_instructions/*::*_as_without_*",),
    ),
    Suite(
        "native",
        ("tests/native",),
        # Parts of the tool that are built for this host; of calls that fail, those of one
        # way to write.
        quick=("tests/native/*",),
        slow=(
            "tests/native/test_a64.py::Operands::*",
            "tests/native/test_code_file.py::*_every_call_fails*",
            "tests/native/test_eh_frame.py::*_random_bytes_*",
            "tests/native/test_faults.py::*_call_tree",
            "tests/native/test_faults.py::*_combined",
            "tests/native/test_faults.py::*_exec_*",
            "tests/native/test_faults.py::*_named_by_a_link",
            "tests/native/test_faults.py::*_parts",
            "tests/native/test_faults.py::*_timeline",
            "tests/native/test_fuzz.py::*",
            "tests/native/test_jit_names.py::*_many_names",
            "tests/native/test_jit_names.py::*_read_once",
            "tests/native/test_patch_points.py::Reserved::*",
            "tests/native/test_sampler_faults.py::*",
            "tests/native/test_wait_rule.py::*_long_waits_*",
            "tests/native/test_x86_decode.py::Lengths::*",
        ),
        # Every call that can fail, one after the other, where more than one file is
        # written; every instruction of large libraries; random input.
        long=(
            "tests/native/test_a64.py::Operands::*",
            "tests/native/test_code_file.py::*_while_it_comes",
            "tests/native/test_fuzz.py::*_mutations_*",
            "tests/native/test_fuzz.py::*_nobody_is_waited_for",
            "tests/native/test_faults.py::*_gives_old_files_back",
            "tests/native/test_faults.py::*_call_tree",
            "tests/native/test_faults.py::*_timeline*",
            "tests/native/test_sampler_faults.py::*",
            "tests/native/test_x86_decode.py::Lengths::*",
            "tests/native/test_dwarf.py::*_a_separate_file",
            "tests/native/test_lines.py::*_all_ways_to_go_on",
            "tests/native/test_jit_names.py::*_many_names",
        ),
    ),
    Suite(
        "translation-cache",
        ("tests/translation_cache",),
        # One program, cold and warm; who may open the folder.
        quick=(
            "tests/translation_cache/test_same_profiles.py::*[[]calls-O2-default]",
            "tests/translation_cache/test_safety.py::*only_the_user*",
        ),
        # Large programs, and further options.
        long=(
            "tests/translation_cache/test_same_profiles.py::*[[]perl-*",
            "tests/translation_cache/test_same_profiles.py::*inlined_*stop[[]-*",
        ),
    ),
    Suite(
        "files",
        ("tests/files",),
        # Of those that need no second user.
        quick=("tests/files/test_odd_places.py::*folder*",),
        # What takes seconds of the processor by its nature, and programs beside the tool.
        long=(
            "tests/files/test_confined.py::*_other_calls_are_filtered",
            "tests/files/test_confined.py::*_the_processor_time*",
            "tests/files/test_planted_names.py::OtherPrograms::*",
        ),
    ),
    Suite(
        "readers",
        ("tests/readers",),
        # The readers themselves; no program is run.
        quick=(
            "tests/readers/test_strict_reader.py::*",
        ),
        # Many programs through a slow reader; the first example of README runs always.
        long=(
            "tests/readers/test_annotate.py::*_programs_of_regression_tests",
            "tests/readers/test_annotate.py::Gprof2dot::*_when_collecting_began",
        ),
    ),
    Suite(
        "suites",
        ("tests/suites",),
        # Under the gate, what is installed and built within seconds.
        quick=(
            "tests/suites/test_gated.py::*[[]go]",
            "tests/suites/test_gated.py::*[[]pytest-*]",
            "tests/suites/test_gated.py::*[[]cpp]",
        ),
        turns=("tests/suites/test_gated.py::*",),
        on_demand=True,
    ),
    Suite(
        "clients",
        ("tests/clients",),
        # None: each builds a package.
        quick=(),
        # For each further machine Go compiles its standard library.
        long=(
            "tests/clients/test_go.py::test_it_is_vetted[[]linux-arm64]",
            "tests/clients/test_go.py::test_it_is_vetted[[]linux-386]",
            "tests/clients/test_go.py::test_it_is_vetted[[]darwin-*]",
        ),
    ),
    Suite(
        "documents",
        ("tests/documents",),
        # All but bad values of every option: each is a start of Valgrind.
        quick=(
            "tests/documents/test_man_page.py::*",
            "tests/documents/test_option_table.py::*",
        ),
        slow=("tests/documents/test_option_table.py::*_manual_has_the_table",),
    ),
    Suite(
        "style",
        ("tests/style",),
        # Layers and text; no checker that reads all files for long.
        quick=(
            "tests/style/test_layers.py::*",
            "tests/style/test_text.py::*",
        ),
    ),
    Suite(
        "tools",
        (
            "tests/runner",
            "tests/regtest",
            "tests/differential",
            "tests/groundtruth",
            "tests/bench",
            "tests/cycles",
            "tests/format",
            "tests/machines",
        ),
        # What is tested without starting programs.
        quick=(
            "tests/runner/test_choosing.py::Table::*",
            "tests/runner/test_choosing.py::Order::*",
            "tests/regtest/test_format.py::*",
            "tests/differential/test_compare.py::*",
            "tests/differential/test_explaining.py::*",
            "tests/groundtruth/test_checker.py::*",
            "tests/groundtruth/test_paths.py::*",
            "tests/bench/test_goals.py::*",
            "tests/bench/test_report.py::*",
            "tests/bench/test_result.py::*",
            "tests/machines/*",
        ),
        # What benchmarks are made of, and sessions of tests within a test.
        long=(
            "tests/bench/test_inputs.py::*",
            "tests/bench/test_scaling.py::*",
            "tests/groundtruth/test_soak_long.py::*_a_step_of_each_sort",
            "tests/runner/test_choosing.py::CommandLine::*_[sw]*",
            "tests/runner/test_processes.py::Ends::*_ends_the_process_*",
        ),
    ),
    Suite(
        "regression",
        ("callgrind/tests",),
        # One or a few of each kind: calls and returns, signals, threads, parts, requests,
        # caches, names, inlined calls, jumps, skipped code, call trees.
        quick=(
            "callgrind/tests/profiles/annotate.vgtest",
            "callgrind/tests/options/bad_options.vgtest",
            "callgrind/tests/caches/branches.vgtest",
            "callgrind/tests/caches/caches_known.vgtest",
            "callgrind/tests/calls/calls_within.vgtest",
            "callgrind/tests/*/checked_*.vgtest",
            "callgrind/tests/coroutines/coroutines.vgtest",
            "callgrind/tests/recursion/counted_calls_1.vgtest",
            "callgrind/tests/dumps/dump_before.vgtest",
            "callgrind/tests/calls/exceptions.vgtest",
            "callgrind/tests/processes/exec_plain.vgtest",
            "callgrind/tests/processes/forks.vgtest",
            "callgrind/tests/inlined/inlined.vgtest",
            "callgrind/tests/profiles/jumps.vgtest",
            "callgrind/tests/profiles/known_costs.vgtest",
            "callgrind/tests/calls/longjmp.vgtest",
            "callgrind/tests/jit/jit_names.vgtest",
            "callgrind/tests/requests/monitor_status.vgtest",
            "callgrind/tests/profiles/namesakes.vgtest",
            "callgrind/tests/files/out_file_expansion.vgtest",
            "callgrind/tests/dumps/parts.vgtest",
            "callgrind/tests/plt/plt_now.vgtest",
            "callgrind/tests/recursion/recursion_*.vgtest",
            "callgrind/tests/switching/seed_threads.vgtest",
            "callgrind/tests/recursion/separate_callers.vgtest",
            "callgrind/tests/signals/signals_*.vgtest",
            "callgrind/tests/skips/skip_path_plain.vgtest",
            "callgrind/tests/skips/skip_recursion_one.vgtest",
            "callgrind/tests/skips/skip_signal_handler.vgtest",
            "callgrind/tests/skips/skip_ways_in.vgtest",
            "callgrind/tests/switching/start_stop.vgtest",
            "callgrind/tests/tails/tail_calls.vgtest",
            "callgrind/tests/threads/threads_*.vgtest",
            "callgrind/tests/toggles/toggle_function.vgtest",
            "callgrind/tests/trees/tree_known_costs.vgtest",
            "callgrind/tests/trees/tree_obj_skip.vgtest",
            "callgrind/tests/trees/tree_pruned.vgtest",
            "callgrind/tests/trees/tree_recursion.vgtest",
            "callgrind/tests/trees/tree_signals.vgtest",
            "callgrind/tests/trees/tree_threads.vgtest",
            "callgrind/tests/dumps/zero_before.vgtest",
        ),
        slow=(
            "callgrind/tests/calls/checked_calls.vgtest",
            "callgrind/tests/calls/checked_leaps.vgtest",
            "callgrind/tests/calls/checked_switches.vgtest",
        ),
        # Runtimes of which a smaller one is run always, many ways to die (of which suite
        # `deaths` has some always), and runs with checks, as one in four programs of
        # `groundtruth` has them.
        long=(
            "callgrind/tests/calls/checked_calls.vgtest",
            "callgrind/tests/calls/sbcl_start.vgtest",
            "callgrind/tests/processes/fork_lacks_memory.vgtest",
            "callgrind/tests/jit/jit_names_node*.vgtest",
            "callgrind/tests/processes/code_missing_ways.vgtest",
            "callgrind/tests/jit/jit_names_python3.1*.vgtest",
            "callgrind/tests/skips/runtime_obj_skip_node*.vgtest",
            "callgrind/tests/skips/runtime_obj_skip_py3*.vgtest",
            "callgrind/tests/threads/dies_among_threads_[mo]*.vgtest",
            "callgrind/tests/switching/start_stop_kept_alike.vgtest",
            "callgrind/tests/trees/tree_memory.vgtest",
        ),
    ),
)

NAMES = tuple(suite.name for suite in SUITES)
DEFAULT_NAMES = tuple(suite.name for suite in SUITES if not suite.on_demand)
# Those that run with stored translations, too, if --warm asks for it.
WARM_SUITES = ("regression", "groundtruth")
# Of a test that lies in no suite's folder, such as a file that somebody is trying out.
OTHER = "other"


def suite_of(name: str) -> Optional[Suite]:
    """The suite of a test, by the test's name or its path below the source tree."""
    path = name.split("::")[0]
    found: Optional[Suite] = None
    longest = 0
    for suite in SUITES:
        for place in suite.paths:
            inside = path == place or path.startswith(place + "/")
            if inside and len(place) > longest:
                found, longest = suite, len(place)
    return found


def suite_name(name: str) -> str:
    suite = suite_of(name)
    return suite.name if suite else OTHER


def rank(name: str) -> int:
    """The place of a test's suite in the order in which they run."""
    suite = suite_of(name)
    return SUITES.index(suite) if suite else len(SUITES)


def paths_of(names: Iterable[str]) -> list[str]:
    """The folders and files of these suites."""
    return [path for suite in SUITES if suite.name in names for path in suite.paths]


def why_not_warm(names: Iterable[str]) -> Optional[str]:
    """What is wrong with asking for --warm and these suites."""
    for name in names:
        if name not in WARM_SUITES:
            return f"--warm is not for suite '{name}', but for: {' '.join(WARM_SUITES)}"
    return None


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def is_quick(name: str) -> bool:
    suite = suite_of(name)
    if suite is None:
        return True
    left_out = (*suite.slow, *suite.long)
    return _matches(name, suite.quick) and not _matches(name, left_out)


def has_quick_tests(suite: str) -> bool:
    return any(one.quick for one in SUITES if one.name == suite)


def is_for_long_runs(name: str) -> bool:
    """Whether a test runs only with --long, or where it is named."""
    suite = suite_of(name)
    return suite is not None and _matches(name, suite.long)


def takes_turns(name: str) -> bool:
    """Whether a test is not in each run that goes by turns."""
    suite = suite_of(name)
    if suite is None or _matches(name, suite.each_long):
        return False
    return _matches(name, (*suite.long, *suite.turns))
