# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another release of Debian on this machine's processor: the source tree is copied into a
# root of it, and there `./profile` is run as by somebody who has just cloned it, and then
# the tests.  Owns: which packages that takes, and which suites run.

"""Run tests in a root of another Debian."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.machines.choice import OF_THE_MACHINE, PACKAGE, TARBALL, Choice, Sum, shown
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
from tests.machines.source_copy import SOURCE, copy_to

COPY = "/srv/callgrind-exact"
RELEASES = {"debian13": "trixie", "sid": "sid"}
OTHERS = tuple(RELEASES)
# What depends on the core, the compiler and the C library.  Readers, documents and style
# are the same everywhere.
SUITES = ("regression", "groundtruth", "simulators", "translation-cache")
# Those of ./profile and ./check, and what tests start if it is there.
PACKAGES = (
    *("valgrind", "gcc", "g++", "make", "autoconf", "automake", "pkg-config", "python3"),
    *("libc6-dev", "perl", "bzip2", "python3-pytest", "python3-pytest-xdist"),
    *("libdw-dev", "libiberty-dev", "binutils", "dwz", "procps", "nodejs"),
    # To make the package, and to judge it; and to compile nothing twice.
    *("dpkg-dev", "lintian", "ccache"),
)
# For all that compiles what may have been compiled there before: of an earlier run, or,
# for the tarball, of this one.
COMPILING = {
    "PATH": f"/usr/lib/ccache:{login_environment()['PATH']}",
    "CCACHE_DIR": "/var/cache/ccache",
    "CCACHE_NOHASHDIR": "1",
    "CCACHE_MAXSIZE": "500M",
}
# Has dwp, which binutils no longer has.  sid may lose it any day.
WITH_DWP = "binutils-gold"
# The suite that needs packages by the runtimes that are chosen, and where they are named.
RUNTIMES = "runtimes"
RUNTIMES_PACKAGES = SOURCE / "tests" / "runtimes" / "packages"
# Where the package is installed: a machine that has but what it stands beside.
PACKAGES_BEFORE = ("valgrind", "python3")


def check_debian13(choice: Choice) -> int:
    return check_in_root("debian13", wanted_for("debian13", choice), choice)


def check_sid(choice: Choice) -> int:
    return check_in_root("sid", wanted_for("sid", choice), choice)


def wanted_for(name: str, choice: Choice) -> Wanted:
    packages = needed(choice) if name != "debian13" else (*needed(choice), WITH_DWP)
    suite = RELEASES[name]
    return Wanted(suite, packages=packages, begins_as=without_valgrind(suite))


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
    log = log_of(name)
    result = Sum()
    try:
        with provided(wanted, log, choice.fresh) as root:
            copy_to(root.inside(COPY))
            log(versions(root))
            result.add(try_profile(root, log))
            suites = choice.suites_of((*SUITES, *OF_THE_MACHINE))
            if result.failed == 0 and not set(suites) <= set(OF_THE_MACHINE):
                result.add(run_suites(root, choice, log))
            if PACKAGE in suites:
                result.add(try_package(wanted.suite, root, log))
            if TARBALL in suites:
                result.add(try_tarball(root, log))
            log("done")
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
    done = root.run("./profile", "ls", "-la", folder=COPY, environment=COMPILING,
                    capture=True)
    if done.returncode == 0 and "profile: wrote " in done.stdout:
        return Sum(passed=1)
    return failure(f"./profile ls -la, status {done.returncode}", done.stdout, log)


def run_suites(root: Root, choice: Choice, log: Log) -> Sum:
    log("compiling test programs")
    done = root.run("make", "-s", "-C", "build", "test-programs", folder=COPY,
                    environment=COMPILING, capture=True)
    if done.returncode != 0:
        return failure("make test-programs", done.stdout, log)
    words = ("tests/run_suites", *choice.arguments(SUITES))
    log(" ".join(words))
    return shown(root.lines(*words, folder=COPY))


def make_packages(which: str, root: Root) -> "subprocess.CompletedProcess[str]":
    words = ("sh", "tests/machines/make_packages.sh", which)
    return root.run(*words, folder=COPY, environment=COMPILING, capture=True)


def try_package(suite: str, root: Root, log: Log) -> Sum:
    """Make the package, and install, use and remove it in a root without anything else
    of ours."""
    log("making a package")
    done = make_packages(PACKAGE, root)
    if done.returncode != 0:
        return failure("making a package", done.stdout, log)
    made = sorted(root.inside(COPY).glob("build/callgrind-exact_*.deb"))[-1]
    wanted = Wanted(suite, packages=PACKAGES_BEFORE, purpose="install",
                    begins_as=without_valgrind(suite))
    result = Sum(passed=1)
    result.add(install_package(made, wanted, log))
    return result


def try_tarball(root: Root, log: Log) -> Sum:
    """Make the package from the tarball of `make dist`: nothing may be missing there."""
    log("making the package of the tarball")
    done = make_packages(TARBALL, root)
    if done.returncode != 0:
        return failure("the package of the tarball", done.stdout, log)
    return Sum(passed=1)


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


def bundle_made_on(name: str, folder: Path, log: Log) -> Path:
    """The archive that `make bundle` makes there, without the sampler, copied into a
    folder of this machine; its name begins with that of the machine."""
    with provided(wanted_for(name, Choice()), log) as root:
        copy_to(root.inside(COPY))
        log(versions(root))
        for words in (("./profile", "-q", "true"),
                      ("make", "-s", "-C", "build", "bundle", "BUNDLE_SAMPLER=")):
            log(" ".join(words))
            done = root.run(*words, folder=COPY, environment=COMPILING, capture=True)
            if done.returncode != 0:
                raise CannotMake(f"{' '.join(words)}: {done.stdout}")
        made = max(root.inside(COPY).glob("build/bundle/callgrind-exact-*.tar.xz"),
                   key=lambda path: path.stat().st_mtime)
        return Path(shutil.copy(made, folder / f"{name}-{made.name}"))
