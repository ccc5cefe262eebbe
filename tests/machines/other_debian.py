# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another release of Debian on this machine's processor: the source tree is copied into a
# root of it, and there `./profile` is run as by somebody who has just cloned it, and then
# the tests.  Owns: which packages that takes, and which suites run.

"""Run tests in a root of another Debian."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.machines.choice import OF_THE_MACHINE as PACKAGE
from tests.machines.choice import Choice, Sum, shown
from tests.machines.debian_root import (
    CannotMake,
    Log,
    Root,
    Wanted,
    provided,
)
from tests.machines.source_copy import SOURCE, copy_to

COPY = "/srv/callgrind-exact"
# What depends on the core, the compiler and the C library.  Readers, documents and style
# are the same everywhere.
SUITES = ("regression", "groundtruth", "simulators")
# Those of ./profile and ./check, and what tests start if it is there.
PACKAGES = (
    *("valgrind", "gcc", "g++", "make", "autoconf", "automake", "pkg-config", "python3"),
    *("libc6-dev", "perl", "bzip2", "python3-pytest", "python3-pytest-xdist"),
    *("libdw-dev", "libiberty-dev", "binutils", "dwz", "procps", "nodejs"),
    # To make the package, and to judge it.
    *("dpkg-dev", "lintian"),
)
# Has dwp, which binutils no longer has.  sid may lose it any day.
WITH_DWP = "binutils-gold"
# The suite that needs packages by the runtimes that are chosen, and where they are named.
RUNTIMES = "runtimes"
RUNTIMES_PACKAGES = SOURCE / "tests" / "runtimes" / "packages"
# Where the package is installed: a machine that has but what it stands beside.
PACKAGES_BEFORE = ("valgrind", "python3")


def check_debian13(choice: Choice) -> int:
    packages = (*needed(choice), WITH_DWP)
    return check_in_root("debian13", Wanted("trixie", packages=packages), choice)


def check_sid(choice: Choice) -> int:
    return check_in_root("sid", Wanted("sid", packages=needed(choice)), choice)


def needed(choice: Choice) -> tuple[str, ...]:
    """The packages for what has been chosen."""
    chosen = choice.runtimes.split(",") if choice.runtimes else []
    packages = list(PACKAGES)
    for line in RUNTIMES_PACKAGES.read_text(encoding="utf-8").splitlines():
        runtime, *names = line.split()
        if runtime in chosen or (RUNTIMES in choice.suites and not chosen):
            packages += names
    return tuple(packages)


def check_in_root(name: str, wanted: Wanted, choice: Choice) -> int:
    def log(text: str) -> None:
        print(f"{name}: {text}", flush=True)

    result = Sum()
    try:
        with provided(wanted, log, choice.fresh) as root:
            copy_to(root.inside(COPY))
            log(versions(root))
            result.add(try_profile(root, log))
            suites = choice.suites_of((*SUITES, PACKAGE))
            if result.failed == 0 and set(suites) != {PACKAGE}:
                result.add(run_suites(root, choice))
            if PACKAGE in suites:
                result.add(try_package(wanted.suite, root, log))
    except CannotMake as reason:
        log(f"skipped: {reason}")
        result.skipped += 1
    print(result.line(), flush=True)
    return result.status()


def versions(root: Root) -> str:
    """What the tests meet there, in a line."""
    asked = "valgrind --version; gcc -dumpfullversion; python3 -V; ldd --version"
    lines = root.run("sh", "-c", asked, capture=True).stdout.splitlines()
    valgrind, gcc, python, glibc = [*lines[:4], *[""] * 4][:4]
    return f"{valgrind}, gcc {gcc}, {python}, glibc {glibc.rpartition(' ')[2]}"


def try_profile(root: Root, log: Log) -> Sum:
    """As README says, in a fresh clone."""
    log("./profile ls -la")
    done = root.run("./profile", "ls", "-la", folder=COPY, capture=True)
    if done.returncode == 0 and "profile: wrote " in done.stdout:
        return Sum(passed=1)
    return failure(f"./profile ls -la, status {done.returncode}", done.stdout, log)


def run_suites(root: Root, choice: Choice) -> Sum:
    words = " ".join(
        ["make -s -C build test-programs > build/test-programs.log &&", "exec"]
        + ["tests/run_suites", '"$@"']
    )
    shell = ("sh", "-c", words, "sh")
    return shown(root.lines(*shell, *choice.arguments(SUITES), folder=COPY))


def try_package(suite: str, root: Root, log: Log) -> Sum:
    """Make the package, and install, use and remove it in a root without anything else
    of ours."""
    log("making a package, of this tree and of its tarball")
    done = root.run("sh", "tests/machines/make_packages.sh", folder=COPY, capture=True)
    if done.returncode != 0:
        return failure("making a package", done.stdout, log)
    made = sorted(root.inside(COPY).glob("build/callgrind-exact_*.deb"))[-1]
    wanted = Wanted(suite, packages=PACKAGES_BEFORE, purpose="install")
    result = Sum(passed=1)
    result.add(install_package(made, wanted, log))
    return result


def install_package(made: Path, wanted: Wanted, log: Log) -> Sum:
    """Install, use and remove a package in a root."""
    log("installing, using and removing it")
    with provided(wanted, log) as clean:
        for path in (made, SOURCE / "tests/machines/try_package.sh"):
            shutil.copy(path, clean.inside("/srv"))
        words = ("sh", "/srv/try_package.sh", f"/srv/{made.name}")
        done = clean.run(*words, capture=True)
    if done.returncode != 0:
        return failure("the package", done.stdout, log)
    return Sum(passed=1)


def failure(what: str, said: str, log: Log) -> Sum:
    print(said)
    log(f"FAIL: {what}")
    return Sum(failed=1)
