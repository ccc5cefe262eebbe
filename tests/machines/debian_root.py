# SPDX-License-Identifier: GPL-2.0-or-later
#
# Roots: folders that hold another Debian, in which the tests run as they would on a
# machine of that release.  Owns: where roots are kept, how one is made and when anew, and
# that one run at a time uses it.  Relies on mmdebstrap, on apt's settings of this machine
# for the mirror, and on enter_root.sh, which ends and unmounts all that a run began.
#
# A root is kept in the cache folder between runs.  What a run needs and the root lacks is
# installed into it; where that fails, because the release has moved on, the root is made
# anew.  A root may begin as a copy of a smaller one, which takes less than to make it.

"""Makes and keeps folders that hold another Debian."""

from __future__ import annotations

import fcntl
import os
import re
import resource
import shutil
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Mapping, Optional, Sequence

ENTER_ROOT = Path(__file__).resolve().parent / "enter_root.sh"
EMULATE_ARM64 = Path(__file__).resolve().parent / "emulate_arm64.sh"
# Debian's own default, for a machine whose apt knows no mirror of Debian.
DEFAULT_MIRROR = "http://deb.debian.org/debian"
# apt's settings of this machine that have to hold in a root as well: how to reach a
# mirror, and what to think of its dates.
HANDED_ON = re.compile(r"^Acquire::(Check-|http|https|ftp|Proxy|Retries|Force)", re.I)

# Where runs put what they bring along: a copy of a root has nothing of that.
FOR_RUNS = "srv"

# In a root whose packages are unpacked only, dpkg knows of none; this file names them.
UNPACKED = "var/lib/callgrind-exact.unpacked"

Log = Callable[[str], None]


def log_of(machine: str) -> Log:
    """Prints lines that begin with the machine's name, and what has been taken since now:
    seconds on the clock, and of processor time."""
    begin, before = time.monotonic(), _processor_time()

    def log(text: str) -> None:
        taken, used = time.monotonic() - begin, _processor_time() - before
        print(f"{machine}, {taken:.0f} s, {used:.0f} of processors: {text}", flush=True)

    return log


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class CannotMake(Exception):
    """There can be no such root on this machine now; the text says why."""


@dataclass(frozen=True)
class Wanted:
    """What a root has to be."""

    suite: str  # as Debian names it: trixie, sid
    architecture: str = "amd64"
    packages: tuple[str, ...] = ()
    # Roots for different purposes are different folders, also of one suite.
    purpose: str = "check"
    # Packages are unpacked, and no script of theirs runs: all that is possible without an
    # emulator where the processor is another.  Nothing can be started in such a root.
    unpacked_only: bool = False
    # Runs the programs of a root for arm64; none: they are this machine's, or nobody's.
    emulator: str = ""
    # A root of the same release that has a part of these packages, and nothing else.
    begins_as: Optional[Wanted] = None

    @property
    def name(self) -> str:
        return f"{self.suite}-{self.architecture}-{self.purpose}"


def without_valgrind(suite: str) -> Wanted:
    """A release with Python and what Debian's valgrind brings along, but for itself: for
    the bundle, and what other roots begin as."""
    return Wanted(suite, packages=("python3", "libc6-dbg"), purpose="bundle")


@dataclass(frozen=True)
class Root:
    """A root that is there."""

    folder: Path
    emulator: str = ""

    def command(self, *words: str) -> list[str]:
        """What runs a command in the root.  All that it starts has ended, and all that is
        mounted for it is unmounted, when it ends, however that comes about."""
        # Found in our PATH: the command has another.
        unshare = shutil.which("unshare") or "unshare"
        return [
            *emulated(self.emulator),
            *(unshare, "--mount", "--pid", "--fork", "--kill-child", "--"),
            *("sh", str(ENTER_ROOT), str(self.folder), *words),
        ]

    def run(
        self,
        *words: str,
        folder: str = "/",
        environment: Optional[Mapping[str, str]] = None,
        capture: bool = False,
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command in the root, in a folder of the root.  Its environment is that of
        a new login, and what is given."""
        return subprocess.run(
            self.command("env", "-C", folder, *words),
            env={**login_environment(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.STDOUT if capture else None,
            text=True,
            errors="replace",
            check=False,
        )

    def lines(self, *words: str, folder: str = "/") -> Iterator[str]:
        """Run a command in the root, and give each line that it prints at once."""
        with subprocess.Popen(
            self.command("env", "-C", folder, *words),
            env=login_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            yield from process.stdout

    def inside(self, path: str) -> Path:
        """Where a path of the root is for us."""
        return self.folder / path.lstrip("/")


def emulated(emulator: str) -> list[str]:
    """What a command for programs that run under an emulator begins with."""
    return ["sh", str(EMULATE_ARM64), emulator] if emulator else []


def login_environment() -> dict[str, str]:
    handed_on = {name: os.environ[name] for name in ("TERM",) if name in os.environ}
    return {
        **handed_on,
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "DEBIAN_FRONTEND": "noninteractive",
    }


def cache_folder() -> Path:
    """Where roots are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "callgrind-exact" / "roots"


# -- This machine ---------------------------------------------------------------------


def _lines(*words: str) -> list[str]:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def mirror() -> str:
    """The mirror of Debian that apt uses here."""
    form = "$(ORIGIN)|$(RELEASE)|$(REPO_URI)"
    for line in _lines("apt-get", "indextargets", "--format", form):
        origin, release, uri = line.split("|", 2)
        # bookworm-security and others are other archives.
        if origin == "Debian" and "-" not in release:
            return uri.rstrip("/")
    return DEFAULT_MIRROR


def apt_settings() -> list[str]:
    """apt's settings that are handed on, each as a line of its configuration."""
    return [
        line for line in _lines("apt-config", "dump", "Acquire") if HANDED_ON.match(line)
    ]


def _require_rights() -> None:
    if os.geteuid() != 0:
        raise CannotMake("only root can make and enter a Debian root; run it with sudo")
    for program in ("mmdebstrap", "unshare", "chroot"):
        if shutil.which(program) is None:
            raise CannotMake(f"{program} is not installed")
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"],
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode != 0:
        said = tried.stderr.strip().splitlines() or ["no reason given"]
        raise CannotMake(f"nothing may be mounted here ({said[-1]})")


# -- Making and keeping ---------------------------------------------------------------


def _installed(folder: Path) -> set[str]:
    """The packages that a root has."""
    status = folder / "var/lib/dpkg/status"
    unpacked = folder / UNPACKED
    if unpacked.is_file():
        return set(unpacked.read_text(encoding="utf-8").split())
    if not status.is_file():
        return set()
    names = set()
    for entry in status.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in entry.splitlines() if re.match(r"\w+: ", line)
        )
        state = fields.get("Status", "")
        if "Package" in fields and state.endswith((" installed", " unpacked")):
            names.add(fields["Package"])
    return names


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("E: ")] or lines
    return "; ".join(telling[-2:]) or "no reason given"


def _new(folder: Path) -> Path:
    """Where a root is made: it stands at its place only once it is whole."""
    new = folder.with_name(folder.name + ".new")
    _remove(new)
    return new


def _copy(wanted: Wanted, folder: Path, log: Log, fresh: bool) -> bool:
    """Make a root from the one that it begins as, if it can be."""
    if wanted.begins_as is None:
        return False
    new = _new(folder)
    with provided(wanted.begins_as, log, fresh) as first:
        log(f"copying {first.folder} to {folder}")
        subprocess.run(["cp", "-a", "--reflink=auto", str(first.folder), str(new)],
                       stdin=subprocess.DEVNULL, check=True)
    for left in (new / FOR_RUNS).glob("*"):
        _remove(left)
    missing = [name for name in wanted.packages if name not in _installed(new)]
    if missing and not _add(Root(new, wanted.emulator), missing, log):
        _remove(new)
        return False
    _remove(folder)
    new.rename(folder)
    return True


def _make(wanted: Wanted, folder: Path, log: Log) -> None:
    new = _new(folder)
    log(f"making a root of Debian {wanted.suite} for {wanted.architecture} in {folder}")
    command = [*emulated(wanted.emulator), "mmdebstrap", "--quiet", "--mode=root"]
    command.append(f"--arch={wanted.architecture}")
    if wanted.emulator:
        # It asks a program that may not be there whether this can be.
        command.append("--skip=check/qemu")
    command.append(f"--variant={'extract' if wanted.unpacked_only else 'apt'}")
    # As a small machine would: no recommended packages, no documents in all languages.
    command += [f"--aptopt={line}" for line in apt_settings()]
    command.append('--aptopt=APT::Install-Recommends "false"')
    if wanted.packages:
        command.append(f"--include={','.join(wanted.packages)}")
    done = subprocess.run(
        [*command, wanted.suite, str(new), mirror()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        _remove(new)
        raise CannotMake(
            f"mmdebstrap made no root of {wanted.suite}: {_last_lines(done.stderr)}"
        )
    if wanted.unpacked_only:
        (new / UNPACKED).write_text("\n".join(wanted.packages), encoding="utf-8")
    _remove(folder)
    new.rename(folder)


def _remove(path: Path) -> None:
    """Nothing is mounted in a root: what enter_root.sh mounts is in a namespace."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _add(root: Root, missing: Sequence[str], log: Log) -> bool:
    log(f"installing {' '.join(missing)}")
    return all(
        root.run("apt-get", *words, capture=True).returncode == 0
        for words in (["update"], ["install", "-y", *missing])
    )


def _bring_up_to_date(wanted: Wanted, folder: Path, log: Log, fresh: bool) -> Root:
    root = Root(folder, wanted.emulator)
    missing = [name for name in wanted.packages if name not in _installed(folder)]
    if not folder.is_dir():
        if not _copy(wanted, folder, log, fresh):
            _make(wanted, folder, log)
    elif missing and (wanted.unpacked_only or not _add(root, missing, log)):
        _make(wanted, folder, log)
    return root


@contextmanager
def provided(wanted: Wanted, log: Log = print, fresh: bool = False) -> Iterator[Root]:
    """The root, for one run at a time: another waits.  With `fresh` it is made anew even
    if one is kept, and so is the one that it begins as.  Raises CannotMake."""
    _require_rights()
    folder = cache_folder() / wanted.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f"{wanted.name}.lock"), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log(f"waiting for another run in {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if fresh:
            _remove(folder)
        yield _bring_up_to_date(wanted, folder, log, fresh)
