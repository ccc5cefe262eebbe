# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of hostile folders share.  Owns: who attacks whom, what an attacker can
# plant under a name, and running a command as its victim.  Relies on being root, and on
# a finished build, named in VG_BUILD.

"""A folder that everybody may write to, one who plants names in it, and a victim."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

SOURCE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()

# Users without a name will do.  Root is a victim as well: nothing protects its files.
ATTACKER = 64901
VICTIM = 64902
ROOT = 0


@dataclass(frozen=True)
class Ended:
    """How a command ended, and which process it was."""

    process: int
    status: int
    said: str


class HostileFolder(unittest.TestCase):
    """A sticky folder, a folder of the attacker's, and a secret of the victim's."""

    def setUp(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("two more users are needed, and so root")
        root = Path(tempfile.mkdtemp(prefix="hostile.", dir="/tmp"))
        self.addCleanup(shutil.rmtree, root)
        root.chmod(0o755)
        self.sticky = root / "sticky"
        self.theirs = root / "theirs"
        self.home = root / "home"
        for folder, owner, mode in (
            (self.sticky, ROOT, 0o1777),
            (self.theirs, ATTACKER, 0o755),
            (self.home, ROOT, 0o777),
        ):
            folder.mkdir()
            os.chown(folder, owner, owner)
            folder.chmod(mode)

    def clear(self) -> None:
        """Removes what is in the sticky folder."""
        for path in self.sticky.iterdir():
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()

    def make_file(self, path: Path, owner: int, mode: int, text: str) -> Path:
        path.write_text(text, "ascii")
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    def run_as(
        self,
        user: int,
        command: list[str],
        folder: Path,
        before: Optional[Callable[[int], None]] = None,
    ) -> Ended:
        """Run a command; `before` is called as root with the number of its process."""

        def become_victim() -> None:
            if before is not None:
                before(os.getpid())
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

        environment = {
            "PATH": os.environ["PATH"],
            "TMPDIR": str(self.sticky),
            "HOME": str(self.home),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=become_victim,
        ) as process:
            said = process.communicate()[1]
        return Ended(process.pid, process.returncode, said)


# --- What is planted ------------------------------------------------------------------


class Plant:
    """Something of the attacker's under a name that the victim will write to."""

    def __init__(self, test: HostileFolder, user: int) -> None:
        self.secret = test.make_file(
            test.home / "secret", user, 0o600, "what the victim keeps\n"
        )
        self.loot = test.make_file(test.theirs / "loot", ATTACKER, 0o666, "")

    def link_to_a_secret(self, name: Path) -> None:
        self._link(name, self.secret)

    def link_to_loot(self, name: Path) -> None:
        self._link(name, self.loot)

    def link_to_nothing(self, name: Path) -> None:
        self._link(name, self.loot.with_name("absent"))

    def link_to_itself(self, name: Path) -> None:
        self._link(name, name)

    def open_file(self, name: Path) -> None:
        name.touch()
        os.chown(name, ATTACKER, ATTACKER)
        name.chmod(0o666)

    def pipe(self, name: Path) -> None:
        os.mkfifo(name)
        os.chown(name, ATTACKER, ATTACKER)
        name.chmod(0o666)

    def folder(self, name: Path) -> None:
        name.mkdir()
        os.chown(name, ATTACKER, ATTACKER)
        name.chmod(0o777)

    @staticmethod
    def _link(name: Path, target: Path) -> None:
        name.symlink_to(target)
        os.chown(name, ATTACKER, ATTACKER, follow_symlinks=False)

    KINDS = (
        link_to_a_secret,
        link_to_loot,
        link_to_nothing,
        link_to_itself,
        open_file,
        pipe,
        folder,
    )

    def harm(self) -> str:
        """What of the victim's was lost, or given to the attacker."""
        if self.secret.read_text("ascii") != "what the victim keeps\n":
            return "the secret was written to"
        if stat.S_IMODE(self.secret.stat().st_mode) != 0o600:
            return "everybody can read the secret"
        for path in self.loot.parent.iterdir():
            if path.stat().st_size != 0:
                return f"the attacker has {path.name}"
        return ""
