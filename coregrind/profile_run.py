#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The second half of the command `profile`: runs a program under callgrind and reports.
# Owns: how signals and the exit status pass between caller and program, and which files
# a run has written.  Relies on callgrind/report/callgrind_report.py for the table, and on
# the callgrind_export beside the launcher for the page.
#
#    profile_run.py LAUNCHER [--html] [--source] [valgrind options] PROGRAM [ARGS]
#
# LAUNCHER is the vg-in-place that `profile` has built.

"""Run a program under callgrind; then name the profile and its costliest functions."""

from __future__ import annotations

import glob
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn, Optional

SOURCE = Path(__file__).resolve().parent.parent
REPORT = SOURCE / "callgrind" / "report" / "callgrind_report.py"

OUT_FILE_OPTION = "--callgrind-out-file="
TREE_FILE_OPTION = "--call-tree-out-file="
TIMELINE_OPTION = "--timeline="
TIMELINE_FILE_OPTION = "--timeline-out-file="
TAIL_CALLS_OPTION = "--tail-calls="
CACHE_OPTION = "--translation-cache="
CACHE_VARIABLE = "CALLGRIND_TRANSLATION_CACHE"
PAGE_OPTION = "--html"
SOURCE_OPTION = "--source"
STEADY_OPTION = "--steady="
GUEST_CPU_OPTION = "--guest-cpu="
FAIR_OPTION = "--fair-sched="
MOST_FILES_NAMED = 10

# What a caller may send to a program that it started.
FORWARDED = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
}

# A file's identity and state: it differs after the file was written or replaced.
Snapshot = dict[str, tuple[int, int, int]]


def say(text: str) -> None:
    print(f"profile: {text}", file=sys.stderr, flush=True)


def refuse(text: str) -> NoReturn:
    say(text)
    sys.exit(2)


# --- What is asked for ----------------------------------------------------------------


def valgrind_options(arguments: list[str]) -> list[str]:
    """The options at the front: they end at the program, or at `--`."""
    for index, argument in enumerate(arguments):
        if argument == "--" or not argument.startswith("-"):
            return arguments[:index]
    return arguments


def standing_options() -> list[str]:
    """Options that Valgrind takes from elsewhere; of two settings the later one holds."""
    words: list[str] = []
    home = os.environ.get("HOME")
    if home is not None:
        words += words_of(Path(home, ".valgrindrc"))
    words += os.environ.get("VALGRIND_OPTS", "").split()
    if current_folder() != (home or "/"):
        words += words_of(Path(".valgrindrc"))
    return [word.replace("--callgrind:", "--", 1) for word in words]


def current_folder() -> str:
    """Nothing if it does not exist any more: files then go elsewhere (docs/files.md)."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def words_of(path: Path) -> list[str]:
    try:
        return os.fsdecode(path.read_bytes()).split()
    except OSError:
        return []


def asked_for(option_name: str, options: list[str]) -> Optional[str]:
    """What the user says for an option, which ends with `=`, if anything."""
    given = [
        option.split("=", 1)[1]
        for option in [*standing_options(), *options]
        if option.startswith(option_name)
    ]
    return given[-1] if given else None


def default_file(kind: str) -> str:
    """In the current folder, for children that run elsewhere too; %p is the process."""
    folder = current_folder()
    return (folder.replace("%", "%%") + "/" if folder else "") + f"callgrind.{kind}.%p"


def without_own_options(arguments: list[str]) -> list[str]:
    """Valgrind does not know them; the program's own options stay."""
    options = valgrind_options(arguments)
    own = (PAGE_OPTION, SOURCE_OPTION)
    kept = [option for option in options if option not in own]
    return kept + arguments[len(options):]


def refuse_other_tools(options: list[str], launcher: str) -> None:
    for option in options:
        if option.startswith("--tool=") and option != "--tool=callgrind":
            refuse(f"{option}: only callgrind makes profiles; for others use {launcher}")


# --- Which files were written ---------------------------------------------------------


def file_name_patterns(out_file: str) -> tuple[str, re.Pattern[str]]:
    """A glob and a regular expression for the names that Valgrind makes of out_file.

    %p is a process, %n a number, %q{NAME} a variable of the environment, %% a per cent
    sign. The tool adds .pidNUMBER for a child, where out_file has no %p, .PART for a dump
    before the last, and -THREAD for each thread.
    """
    wildcard, expression = "", ""
    for piece in re.findall(r"%q\{[^}]*\}|%.|[^%]+|%", out_file, re.DOTALL):
        if piece in ("%p", "%n"):
            wildcard += "[0-9]*"
            expression += "[0-9]+"
            continue
        if piece.startswith("%q{"):
            piece = os.environ.get(piece[3:-1], "")
        elif piece == "%%":
            piece = "%"
        wildcard += glob.escape(piece)
        expression += re.escape(piece)
    return wildcard + "*", re.compile(expression + r"(\.pid[0-9]+)?(\.[0-9]+)?(-[0-9]+)?")


def snapshot(out_file: str) -> Snapshot:
    wildcard, expression = file_name_patterns(out_file)
    found: Snapshot = {}
    for name in glob.glob(wildcard):
        if expression.fullmatch(name):
            try:
                status = os.stat(name)
            except OSError:
                continue
            found[name] = (status.st_ino, status.st_mtime_ns, status.st_size)
    return found


def natural_order(name: str) -> list[tuple[int, str]]:
    """Numbers in names count as numbers: part 2 comes before part 10."""
    return [
        (int(piece), "") if re.fullmatch("[0-9]+", piece) else (-1, piece)
        for piece in re.split(r"([0-9]+)", name)
    ]


def shown(name: str) -> str:
    folder = current_folder() + "/"
    return name[len(folder):] if name.startswith(folder) and folder != "/" else name


# --- What was meant -------------------------------------------------------------------


def suggest(options: list[str], help_command: list[str]) -> None:
    """Of options that a command does not know, name those that they are like."""
    text = subprocess.run(help_command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout
    known = set(re.findall(r"--?[a-zA-Z][\w-]*", os.fsdecode(text)))
    if not known:
        return
    known |= {PAGE_OPTION, SOURCE_OPTION, "--by-clock", "--help"}
    sys.path.insert(0, str(REPORT.parent))
    from console.near_misses import did_you_mean

    for option in options:
        name = option.partition("=")[0]
        if name not in known:
            meant = did_you_mean(name, known)
            if meant:
                say(f"{name}: there is no such option{meant}")


# --- Running --------------------------------------------------------------------------


def run(command: list[str]) -> int:
    """Run a command as if it had been started in our place; its wait status.

    Signals that a process sends to us go on to the command. Those that the terminal sends
    (^C) reach the command without us, and must not reach it twice.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    watched = FORWARDED | {signal.SIGCHLD}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    # Python ignores these two for itself; the command must not inherit that.
    restored = [signal.SIGPIPE, signal.SIGXFSZ]
    child = os.posix_spawn(
        command[0], command, os.environ, setsigmask=mask, setsigdef=restored
    )
    while True:
        news = signal.sigwaitinfo(watched)
        if news.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended == child:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                return status
        elif news.si_code <= 0:  # sent by a process, not by the kernel
            os.kill(child, news.si_signo)


def end_like(status: int) -> NoReturn:
    """End as the program did, by its signal if one killed it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # A core file of ours would say nothing about the program.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    # No clean-up may change the status any more.
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


# --- Reporting ------------------------------------------------------------------------


def report(files: list[str], out_file: str) -> None:
    if not files:
        name = shown(out_file.replace("%%", "%"))
        say(f"no profile was written under the name {name}")
        return
    for name in files[:MOST_FILES_NAMED]:
        say(f"wrote {shown(name)}")
    if len(files) > MOST_FILES_NAMED:
        say(f"and {len(files) - MOST_FILES_NAMED} more")
    print(file=sys.stderr, flush=True)
    # The program's stdout is its own: the table goes to stderr with the rest.
    command = [sys.executable, str(REPORT), "--", *files]
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2, check=False)


def make_page(trees: list[str], tree_file: str, launcher: str, beside: list[str]) -> None:
    """One page of all trees; its path is the last line that is printed.

    `beside` are options of callgrind_export for what else it shows; if that cannot be
    shown, the page does without."""
    if not trees:
        say(f"no tree was written under the name {shown(tree_file.replace('%%', '%'))}")
        return
    page = trees[0] + ".html"
    export = str(Path(launcher).with_name("callgrind_export"))
    command = [export, "--to", "html", "--output", page]
    done = export_page([*command, *beside], trees)
    if not done and beside:
        say("trying again, without source lines and timeline")
        done = export_page(command, trees)
    if done:
        print(file=sys.stderr)
        say(f"wrote {shown(page)}")


def export_page(command: list[str], trees: list[str]) -> bool:
    """True if that worked; otherwise the command has said why not."""
    done = subprocess.run([*command, "--", *trees], stdin=subprocess.DEVNULL, check=False)
    return done.returncode == 0


class WatchedFile:
    """The files that a run writes under a name chosen by option."""

    def __init__(self, option_name: str, kind: str, options: list[str]) -> None:
        chosen = asked_for(option_name, options)
        self.name = chosen or default_file(kind)
        self.options = [] if chosen else [option_name + self.name]
        self._before = snapshot(self.name)

    def written(self) -> list[str]:
        """What has been written since, in order."""
        after = snapshot(self.name)
        changed = [name for name in after if after[name] != self._before.get(name)]
        return sorted(changed, key=natural_order)


class Page:
    """What a page needs besides the profile: the trees, and where known the timeline."""

    def __init__(self, options: list[str]) -> None:
        self.with_source = SOURCE_OPTION in options
        self._tree = WatchedFile(TREE_FILE_OPTION, "tree", options)
        self.options = ["--call-tree=yes", *self._tree.options]
        if asked_for(TAIL_CALLS_OPTION, options) is None:
            # Its shape shall be that of the program's stacks, as the sampler sees them.
            self.options.append(TAIL_CALLS_OPTION + "flat")
        self._timeline: Optional[WatchedFile] = None
        if asked_for(TIMELINE_OPTION, options) in (None, "yes"):
            self._timeline = WatchedFile(TIMELINE_FILE_OPTION, "timeline", options)
            self.options += [TIMELINE_OPTION + "yes", *self._timeline.options]

    def make(self, profiles: list[str], launcher: str) -> None:
        """profiles: those of the same run."""
        trees = [name for name in self._tree.written() if not name.endswith(".html")]
        beside: list[str] = []
        for name in profiles:
            beside += ["--lines", name]
        if profiles and self.with_source:
            beside.append(SOURCE_OPTION)
        for name in self._timeline.written() if self._timeline else []:
            beside += ["--timeline", name]
        make_page(trees, self._tree.name, launcher, beside)


def steady_options(options: list[str]) -> list[str]:
    """One machine everywhere, unless the user says otherwise (docs/steady.md).

    Says so: what the program writes may be another thing than by itself."""
    if asked_for(STEADY_OPTION, options) is not None:
        return []
    say("the program sees 1 Jan 2026, one processor, fixed random numbers; "
        "off: --steady=no")
    chosen = [STEADY_OPTION + "yes"]
    if asked_for(FAIR_OPTION, options) is None:
        chosen.append(FAIR_OPTION + "try")
    if asked_for(GUEST_CPU_OPTION, options) is None and has_less_than_v3():
        chosen.append(GUEST_CPU_OPTION + "x86-64-v2")
    return chosen


def has_less_than_v3() -> bool:
    """True on an amd64 processor without what the tool's default level promises."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    needed = {"avx", "avx2", "bmi1", "f16c", "abm"}
    return flags is not None and not needed <= set(flags.group(1).split())


def main() -> NoReturn:
    launcher, arguments = sys.argv[1], sys.argv[2:]
    options = valgrind_options(arguments)
    refuse_other_tools(options, launcher)
    if SOURCE_OPTION in options and PAGE_OPTION not in options:
        refuse(f"{SOURCE_OPTION} goes together with {PAGE_OPTION}")
    out_file = WatchedFile(OUT_FILE_OPTION, "out", options)
    command = [launcher, "--tool=callgrind", *out_file.options, *steady_options(options)]
    if asked_for(CACHE_OPTION, options) is None and CACHE_VARIABLE not in os.environ:
        command.append(CACHE_OPTION + "yes")
    page = Page(options) if PAGE_OPTION in options else None
    if page is not None:
        command += page.options
    try:
        status = run([*command, *without_own_options(arguments)])
    except OSError as error:
        refuse(f"cannot run {launcher}: {error.strerror}")
    try:
        profiles = out_file.written()
        report(profiles, out_file.name)
        if not profiles and os.WIFEXITED(status):
            suggest(options, [launcher, "--tool=callgrind", "--help"])
        if page is not None:
            page.make(profiles, launcher)
    except (OSError, KeyboardInterrupt):
        pass  # no one reads our output; still end with the program's status
    end_like(status)


if __name__ == "__main__":
    main()
