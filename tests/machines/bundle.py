# SPDX-License-Identifier: GPL-2.0-or-later
#
# The bundle in roots of this machine's processor that have no Valgrind and no compiler:
# releases of Debian, and one that has musl and busybox alone.  Owns: which roots, as whom
# the bundle runs there, and what is copied into them.  What it must do there is in
# try_bundle.sh.

"""Try the bundle where no Valgrind is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, Optional

from tests.machines.choice import Choice, Sum
from tests.machines.debian_root import (
    CannotMake,
    Log,
    Root,
    Wanted,
    log_of,
    login_environment,
    provided,
    without_valgrind,
)

SOURCE = Path(__file__).resolve().parents[2]
HERE = SOURCE / "tests" / "machines"
# In a root: the bundle, the programs, and try_bundle.sh.
PLACE = "/srv/bundle"

CHECKS = (
    *("static_program", "dynamic_program", "whole_program", "children", "caches"),
    *("trees", "kept_translations", "steady", "no_tool", "speak_to_it", "report"),
    *("annotate", "gate", "sampler", "places"),
)

ROOTS = {
    "debian11": without_valgrind("bullseye"),
    "debian12": without_valgrind("bookworm"),
    "debian13": without_valgrind("trixie"),
    "sid": without_valgrind("sid"),
    # Two packages whose programs need no other, and no script of theirs.
    "musl": Wanted("bookworm", packages=("musl", "busybox-static"), purpose="musl",
                   unpacked_only=True),
}
MUSL_LIBRARY = "lib/x86_64-linux-musl/libc.so"
MUSL_LOADER = "/lib/ld-musl-x86_64.so.1"
# Hidden, they are as if they were not installed.
DEBUG_FILES = "usr/lib/debug"


@dataclass(frozen=True)
class Manner:
    """As whom, and with what, something runs in a root."""

    what: str
    # For enter_root.sh.
    environment: Mapping[str, str] = field(default_factory=dict)
    filter: str = ""  # of container_filter
    perf: bool = True
    debug_files: bool = False
    checks: tuple[str, ...] = CHECKS


MANNERS = (
    Manner("with libc6-dbg", debug_files=True),
    Manner("without libc6-dbg"),
    Manner("a user in a user namespace", {"ENTER_ROOT_AS": "user"}),
    Manner("as in a container", {"ENTER_ROOT_AS": "container"}, filter="docker",
           perf=False),
    Manner("without perf events", filter="no-perf", perf=False, checks=("sampler",)),
)
# Of each root, what differs most.
QUICK = ("a user in a user namespace", "as in a container")


def check_bundle(choice: Choice) -> int:
    log = log_of("bundle")
    result = Sum()
    wrong = set(choice.suites) - set(ROOTS)
    if wrong:
        log(f"no root '{min(wrong)}'; there are {', '.join(ROOTS)}")
        return 2
    try:
        if os.uname().machine != "x86_64":
            raise CannotMake("its programs for tests are in x86-64's assembler")
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder)
            make_parts(made, log)
            # A root on each processor: nothing of one is seen in another.
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for one in pool.map(lambda name: try_in(name, made, choice, log),
                                    choice.suites_of(tuple(ROOTS))):
                    result.add(one)
    except CannotMake as reason:
        log(f"skipped: {reason}")
        result.skipped += 1
    print(result.line(), flush=True)
    return result.status()


def try_in(name: str, made: Path, choice: Choice, log: Log) -> Sum:
    result = Sum()
    try:
        with provided(ROOTS[name], lambda text: log(f"{name}: {text}"),
                      choice.fresh) as root:
            prepare(root, made)
            for manner in MANNERS:
                if choice.quick and manner.what not in QUICK:
                    continue
                if manner.debug_files and not root.inside(DEBUG_FILES).is_dir():
                    continue
                result.add(try_manner(name, root, manner, made, log))
    except CannotMake as reason:
        log(f"{name}: skipped: {reason}")
        result.skipped += 1
    return result


# -- What is made here ----------------------------------------------------------------


def done_or_no_bundle(*words: object, folder: Optional[Path] = None) -> str:
    ended = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           cwd=folder, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}:\n{ended.stdout}")
    return ended.stdout


def make_parts(made: Path, log: Log) -> None:
    """The bundle, unpacked as bundle/, programs, and in `expected` what the static one
    executes here between START and STOP."""
    build = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
    log("making it")
    done_or_no_bundle("make", "-s", "-C", build, "bundle")
    archive = sorted((build / "bundle").glob("callgrind-exact-*-x86_64.tar.xz"))[-1]
    log(f"{archive.name}, {archive.stat().st_size:,} bytes")
    done_or_no_bundle("tar", "-C", made, "-xJf", archive)
    (made / archive.name[: -len(".tar.xz")]).rename(made / "bundle")
    compiled = ("gcc", "-O2", "-I", made / "bundle/include/valgrind")
    program = HERE / "bundle_program.c"
    done_or_no_bundle(*compiled, "-static", "-o", made / "static", program)
    done_or_no_bundle(*compiled, "-DOWN_START=1", "-nostartfiles", "-o",
                      made / "dynamic-glibc", program)
    done_or_no_bundle("gcc", "-O2", "-static", "-o", made / "container_filter",
                      HERE / "container_filter.c")
    profile = made / "profile"
    done_or_no_bundle(build / "vg-in-place", "-q", "--tool=callgrind",
                      "--instr-atstart=no", f"--callgrind-out-file={profile}",
                      made / "static")
    totals = [line for line in profile.read_text().splitlines()
              if line.startswith("totals: ")]
    (made / "expected").write_text(totals[0].split()[1])


def prepare(root: Root, made: Path) -> None:
    """Copy what was made into the root, where its users can only read it."""
    place = root.inside(PLACE)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copytree(made / "bundle", place / "bundle", symlinks=True)
    for path in (made / "static", made / "container_filter", HERE / "try_bundle.sh"):
        shutil.copy(path, place)
    if root.inside(MUSL_LIBRARY).is_file():
        done_or_no_bundle(
            "gcc", "-O2", "-I", made / "bundle/include/valgrind", "-DOWN_START=2",
            "-nostdlib", f"-Wl,--dynamic-linker={MUSL_LOADER}", "-o", place / "dynamic",
            HERE / "bundle_program.c", "-L", root.inside(MUSL_LIBRARY).parent,
            # It has no other name, so a path would be looked for in the root.
            f"-l:{Path(MUSL_LIBRARY).name}")
        make_usable(root)
    else:
        shutil.copy(made / "dynamic-glibc", place / "dynamic")
    done_or_no_bundle("chmod", "-R", "a+rX,go-w", place)


def make_usable(root: Root) -> None:
    """A root of unpacked packages has folders and commands only of these."""
    for name in ("proc", "sys", "dev", "bin", "srv"):
        root.inside(name).mkdir(exist_ok=True)
    root.inside("tmp").mkdir(exist_ok=True)
    root.inside("tmp").chmod(0o1777)
    listed = done_or_no_bundle("chroot", root.folder, "/bin/busybox", "--list")
    for name in listed.split():
        command = root.inside(f"bin/{name}")
        if not command.exists() and not command.is_symlink():
            command.symlink_to("busybox")


# -- What is tried --------------------------------------------------------------------


def run_in(
    root: Root, words: list[str], environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """As root.run(), by no program of the root: busybox's `env` enters no folder."""
    return subprocess.run(root.command(*words), env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


def environment_of(manner: Manner) -> dict[str, str]:
    return {
        **login_environment(),
        **manner.environment,
        **({} if manner.debug_files else {"ENTER_ROOT_HIDES": DEBUG_FILES}),
        "PERF": "yes" if manner.perf else "no",
        "HOME": "/nonexistent",
    }


def try_manner(name: str, root: Root, manner: Manner, made: Path, log: Log) -> Sum:
    result = Sum()
    skipped = []
    filter_words = (f"{PLACE}/container_filter", manner.filter) if manner.filter else ()
    environment = environment_of(manner)
    environment["EXPECTED"] = (made / "expected").read_text()
    for check in manner.checks:
        words = ("/bin/sh", f"{PLACE}/try_bundle.sh", PLACE, check)
        ended = run_in(root, [*filter_words, *words], environment)
        if ended.returncode == 77:
            skipped.append(f"{check}: {ended.stdout.strip().splitlines()[-1]}")
            result.skipped += 1
        elif ended.returncode != 0:
            print(ended.stdout)
            log(f"FAIL: {name}, {manner.what}: {check}")
            result.failed += 1
        else:
            result.passed += 1
    log(f"{name}, {manner.what}: {result.line()}")
    for reason in skipped:
        log(f"   skipped {reason}")
    return result
