# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another machine: qemu-system-x86_64 emulates one, with another processor, another kernel
# and other memory, which sees the files of this one.  So a program can be measured there
# by the command that measures it here.
#
# Owns: the machines, where their kernel comes from, what it boots with, and how commands
# get there.  The kernel is Debian's, unpacked and kept in the cache folder, as this
# machine's may lack what is needed.  It boots into a shell script (other_machine.sh).
# qemu translates all code that runs there, and takes many times as long as this
# machine; so nothing is needed of this one's processor, and no rights.

"""Run commands on an emulated machine."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional, Sequence

QEMU_SYSTEM = "qemu-system-x86_64"
INIT = Path(__file__).resolve().parent / "other_machine.sh"
PACKAGE = "linux-image-amd64"  # depends on the newest one
DRIVERS = ("virtio_pci", "9pnet_virtio", "9p")  # for this machine's files
ENDED = "callgrind-exact: the machine ends"  # as other_machine.sh says it


class CannotEmulate(Exception):
    """There can be no such machine here; the text says why."""


@dataclass(frozen=True)
class Machine:
    """One that can be emulated."""

    name: str
    processor: str  # for -cpu
    processors: int
    megabytes: int


MACHINES = (
    Machine("Haswell", "Haswell-noTSX", 1, 2048),
    Machine("Skylake", "Skylake-Client-noTSX-IBRS", 4, 3072),
    Machine("EPYC", "EPYC", 2, 4096),
)


# --- The kernel -------------------------------------------------------------------------


@dataclass(frozen=True)
class Kernel:
    image: Path
    drivers: Path  # the folder of *.ko


def kernels_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "callgrind-exact" / "kernels"


def kernel() -> Kernel:
    """The one that is kept, or the newest of Debian's."""
    folder = kernels_folder()
    kept = found_kernel(folder)
    if kept is None:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="new.") as name:
            new = Path(name)
            _unpack(new)
            for part in ("boot", "lib"):
                shutil.rmtree(folder / part, ignore_errors=True)
                (new / part).rename(folder / part)
        kept = found_kernel(folder)
    if kept is None:
        raise CannotEmulate(f"{PACKAGE} has no kernel with the drivers of 9p")
    return kept


def found_kernel(folder: Path) -> Optional[Kernel]:
    images = sorted(folder.glob("boot/vmlinuz-*"))
    drivers = sorted(folder.glob("lib/modules/*"))
    if not images or not drivers or not sources_of(DRIVERS, drivers[-1]):
        return None
    return Kernel(images[-1], drivers[-1])


def _unpack(folder: Path) -> None:
    """Download the package as a user of apt would, and unpack it; nothing is
    installed."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise CannotEmulate("no kernel: there is no apt-get here to download Debian's")
    listed = _said("apt-cache", "depends", PACKAGE)
    found = re.search(r"Depends: (linux-image-\S+)", listed)
    if found is None:
        raise CannotEmulate(f"no kernel: apt knows no package {PACKAGE}")
    _said("apt-get", "download", found[1], folder=folder)
    packages = list(folder.glob("*.deb"))
    if not packages:
        raise CannotEmulate(f"no kernel: apt-get could not download {found[1]}")
    _said("dpkg-deb", "-x", str(packages[0]), str(folder))
    packages[0].unlink()


def _said(*words: str, folder: Optional[Path] = None) -> str:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, errors="replace"
    )
    return done.stdout


def sources_of(names: Sequence[str], drivers: Path) -> list[Path]:
    """The files of drivers and of those they need, these first; none if one is not
    there."""
    files = {path.stem.replace("-", "_"): path for path in drivers.rglob("*.ko")}
    ordered: list[Path] = []

    def add(name: str) -> bool:
        path = files.get(name.replace("-", "_"))
        if path is None:
            return False
        if path not in ordered:
            needed = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
            others = needed[1].decode("ascii").split(",") if needed else []
            if not all(add(each) for each in others if each):
                return False
            ordered.append(path)
        return True

    return ordered if all(add(name) for name in names) else []


# --- What it boots with -----------------------------------------------------------------


def archive(entries: Sequence[tuple[str, int, bytes]]) -> bytes:
    """An initramfs: names, modes and contents, in cpio's format `newc`."""

    def padded(content: bytes) -> bytes:
        return content + b"\0" * (-len(content) % 4)

    found = b""
    last = ("TRAILER!!!", 0, b"")
    for number, (name, mode, content) in enumerate((*entries, last), 1):
        text = name.encode("ascii") + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(text), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        found += padded(header + text) + padded(content)
    return found


def initial_files(of: Kernel) -> bytes:
    busybox = _static_busybox()
    folders = ("bin", "dev", "proc", "sys", "root", "kept", "drivers")
    entries = [(name, 0o040755, b"") for name in folders]
    entries.append(("bin/busybox", 0o100755, busybox.read_bytes()))
    entries.append(("bin/sh", 0o120777, b"busybox"))
    entries.append(("init", 0o100755, INIT.read_bytes()))
    for number, path in enumerate(sources_of(DRIVERS, of.drivers)):
        entries.append((f"drivers/{number:02}.ko", 0o100644, path.read_bytes()))
    return archive(entries)


def _static_busybox() -> Path:
    path = shutil.which("busybox")
    if path is None:
        raise CannotEmulate("busybox-static is not installed")
    # One that is linked dynamically has an interpreter, which is not in the archive.
    if b"/lib64/ld-linux" in Path(path).read_bytes():
        raise CannotEmulate("busybox is not that of busybox-static")
    return Path(path)


# --- Commands on it ---------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """What runs there, from an empty environment; nobody reads what it prints."""

    folder: Path
    words: tuple[str, ...]
    variables: dict[str, str]

    def line(self) -> str:
        env = [f"{name}={value}" for name, value in self.variables.items()]
        words = shlex.join(["env", "-i", *env, *self.words])
        return f"cd {shlex.quote(str(self.folder))} && {words}"


def why_not() -> str:
    """The reason why there can be no other machine here, or nothing."""
    try:
        _require()
        kernel()
    except CannotEmulate as reason:
        return str(reason)
    return ""


def _require() -> None:
    if shutil.which(QEMU_SYSTEM) is None:
        raise CannotEmulate("qemu-system-x86 is not installed")
    _static_busybox()


def run_on(
    machine: Machine, work: Path, commands: Sequence[Command], seen: Sequence[Path] = ()
) -> list[int]:
    """Boot the machine, run the commands in order, and end it.  Their statuses.

    All files of this machine are seen, but nothing can be written except in `work`; and
    of what lies below /tmp only `work` and the folders of `seen` are there."""
    _require()
    script = [command_lines(number, each) for number, each in enumerate(commands)]
    (work / "commands").write_text("\n".join([*script, ""]), encoding="utf-8")
    (work / "seen").write_text("".join(f"{each}\n" for each in seen), encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="machine.") as name:
        said = _boot(machine, work, Path(name))
    if ENDED not in said:
        last = " / ".join(said.strip().splitlines()[-5:])
        raise CannotEmulate(f"{machine.name}: it does not run: {last}")
    return list(_statuses(work, len(commands)))


def command_lines(number: int, command: Command) -> str:
    """Run a command, and keep its status.  Errors are kept for who looks for them."""
    return f"({command.line()}) < /dev/null > /dev/null 2> $W/{number}.errors\n" + (
        f"echo $? > $W/{number}.status"
    )


def _statuses(work: Path, count: int) -> Iterator[int]:
    for number in range(count):
        path = work / f"{number}.status"
        yield int(path.read_text(encoding="ascii")) if path.exists() else -1


def _boot(machine: Machine, work: Path, folder: Path) -> str:
    """What the machine says until it ends."""
    booted = kernel()
    archive_file = folder / "initrd"
    archive_file.write_bytes(initial_files(booted))
    command = [QEMU_SYSTEM, "-nodefaults", "-no-user-config", "-no-reboot"]
    command += ["-display", "none", "-serial", "stdio"]
    command += ["-accel", "tcg,thread=multi"]
    command += ["-cpu", machine.processor, "-smp", str(machine.processors)]
    command += ["-m", str(machine.megabytes)]
    command += ["-kernel", str(booted.image), "-initrd", str(archive_file)]
    command += ["-append", f"console=ttyS0 quiet edd=off panic=-1 work={work}"]
    for tag, path, writable in (("root", "/", "on"), ("work", str(work), "off")):
        shared = f"local,id={tag},path={path},security_model=none,multidevs=remap"
        command += ["-fsdev", f"{shared},readonly={writable}"]
        command += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.stdout
