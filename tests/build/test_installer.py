# SPDX-License-Identifier: GPL-2.0-or-later
#
# install.sh: what it installs, from a server on this machine and from a folder, what it
# refuses, and what it removes.

"""The installer of the bundle."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
from pathlib import Path
from typing import ContextManager

import pytest

from tests.build.built import SOURCE, BuildTest, Ended, run
from tests.build.bundle import MACHINE, NAME, VERSION, archive
from tests.build.local_server import serving
from tests.small_program import small_program

# One process makes the bundle.
pytestmark = pytest.mark.xdist_group("bundle")

LINKS = {"callgrind-exact", "callgrind_report", "callgrind_export", "callgrind_gate",
         "callgrind_sample"}


# What the installer needs besides what unpacks and what fetches.
NEEDED = ("sh", "cat", "cp", "cut", "id", "ln", "mkdir", "mktemp", "mv", "readlink", "rm",
          "sha256sum", "tar", "uname")


def link_commands(folder: Path, *more: str) -> None:
    """A folder for PATH that has these commands alone."""
    folder.mkdir()
    for name in (*NEEDED, *more):
        found = shutil.which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def served(folder: Path) -> ContextManager[str]:
    """The URL of a folder."""
    return serving(functools.partial(Silent, directory=str(folder)))


class InstallerTest(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.prefix = self.folder / "a prefix"
        self.home_folder = self.prefix / "lib/callgrind-exact"

    def install(self, *words: str, **changes: str) -> Ended:
        """The installer as it lies beside the bundle."""
        script = archive().with_name("install.sh")
        command = ("sh", str(script), f"--prefix={self.prefix}", *words)
        return run(*command, env={**os.environ, **changes})

    def from_folder(self, *words: str, **changes: str) -> Ended:
        words = (f"--from={archive().parent}", *words)
        return self.install(*words, **changes)

    def assert_refused(self, ended: Ended, told: str) -> None:
        self.assert_ended(ended, 1)
        last = ended.err.strip().splitlines()[-1]
        self.assertTrue(last.startswith("install.sh: "), ended.err)
        self.assertIn(told, last)

    def links(self) -> set[str]:
        folder = self.prefix / "bin"
        return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


class Install(InstallerTest):
    def test_one_line_from_a_server(self) -> None:
        for program in ("curl", "wget"):
            if shutil.which(program) is None:
                continue
            with self.subTest(program), served(archive().parent) as url:
                # Of the two, the shell finds this one alone.
                commands = self.folder / program
                link_commands(commands, "xz", program)
                fetch = "curl -fsSL" if program == "curl" else "wget -q -O -"
                line = f"{fetch} {url}/install.sh | sh -s -- --from={url}"
                ended = run(commands / "sh", "-c", f"{line} '--prefix={self.prefix}'",
                            PATH=str(commands))
                self.assert_ended(ended, 0)
                self.assertIn(f"installed callgrind-exact {VERSION}", ended.out)
                self.assertEqual(self.links() - {"callgrind_sample"},
                                 LINKS - {"callgrind_sample"})
                ran = run(self.prefix / "bin/callgrind-exact", "-q", "--tool=callgrind",
                          small_program(), cwd=self.folder)
                self.assert_ended(ran, 0)
                self.assertTrue(list(self.folder.glob("callgrind.out.*")))
                self.assert_ended(self.install("--uninstall"), 0)

    def test_it_knows_where_it_was_published(self) -> None:
        script = self.folder / "install.sh"
        text = archive().with_name("install.sh").read_text()
        with served(archive().parent) as url:
            script.write_text(text.replace("default_from=''", f"default_from='{url}'"))
            ended = run("sh", script, f"--prefix={self.prefix}")
            self.assert_ended(ended, 0)

    def test_for_one_user_without_rights(self) -> None:
        if os.geteuid() != 0:
            ended = run("sh", archive().with_name("install.sh"),
                        f"--from={archive().parent}")
            self.assert_ended(ended, 0)
            self.assertTrue((self.home / ".local/bin/callgrind-exact").exists())
            return
        for folder in (self.folder, self.home, archive().parent):
            os.chmod(folder, 0o755)
        os.chown(self.home, 65534, 65534)
        words = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        ended = run(*words, "sh", archive().with_name("install.sh"),
                    f"--from={archive().parent}", cwd=self.folder)
        self.assert_ended(ended, 0)
        self.assertTrue((self.home / ".local/bin/callgrind-exact").exists())
        self.assertIn("is not in PATH yet", ended.out)
        refused = run(*words, "sh", archive().with_name("install.sh"),
                      f"--from={archive().parent}", "--prefix=/usr", cwd=self.folder)
        self.assert_refused(refused, "cannot write to /usr/lib; choose a folder of yours")

    def test_again_replaces_it(self) -> None:
        self.assert_ended(self.from_folder(), 0)
        leftover = self.home_folder / "leftover"
        leftover.touch()
        self.assert_ended(self.from_folder(), 0)
        self.assertFalse(leftover.exists())
        self.assertEqual([path.name for path in (self.prefix / "lib").iterdir()],
                         ["callgrind-exact"])

    def test_a_command_of_somebody_else_is_left_alone(self) -> None:
        other = self.prefix / "bin/callgrind_report"
        other.parent.mkdir(parents=True)
        other.write_text("another")
        ended = self.from_folder()
        self.assert_ended(ended, 0)
        self.assertIn(f"{other} is not ours; left as it is", ended.out)
        self.assert_ended(self.install("--uninstall"), 0)
        self.assertEqual(other.read_text(), "another")
        self.assertEqual(self.links(), {"callgrind_report"})

    def test_without_xz_python_unpacks_it(self) -> None:
        commands = self.folder / "commands"
        link_commands(commands)
        self.assert_refused(self.from_folder(PATH=str(commands)), "needs xz")
        self.assertFalse(self.home_folder.exists())
        (commands / "python3").symlink_to("/usr/bin/python3")
        self.assert_ended(self.from_folder(PATH=str(commands)), 0)


class Refused(InstallerTest):
    def changed(self) -> Path:
        """A folder with a bundle that was changed on the way."""
        folder = self.folder / "changed"
        shutil.copytree(archive().parent, folder)
        content = bytearray(archive().read_bytes())
        content[len(content) // 2] ^= 1
        (folder / f"{NAME}.tar.xz").write_bytes(content)
        return folder

    def test_a_bundle_that_was_changed(self) -> None:
        ended = self.install(f"--from={self.changed()}")
        self.assert_refused(ended, f"{NAME}.tar.xz is not what it should be")
        self.assertFalse(self.home_folder.exists())

    def test_another_sum_than_the_one_that_is_given(self) -> None:
        ended = self.from_folder("--sha256=" + "0" * 64)
        self.assert_refused(ended, "not what it should be")

    def test_a_failed_update_leaves_the_old_one(self) -> None:
        self.assert_ended(self.from_folder(), 0)
        ended = self.install(f"--from={self.changed()}")
        self.assert_refused(ended, "not what it should be")
        self.assertTrue((self.home_folder / "bin/valgrind").exists())

    def test_another_version_takes_its_sum_from_beside_it(self) -> None:
        folder = self.changed()
        other = f"callgrind-exact-9.9-linux-{MACHINE}.tar.xz"
        shutil.copy(archive(), folder / other)
        words = (f"--from={folder}", "--version=9.9")
        self.assert_refused(self.install(*words), f"cannot fetch {folder}/{other}.sha256")
        (folder / f"{other}.sha256").write_text("0" * 64 + f"  {other}\n")
        self.assert_refused(self.install(*words), "not what it should")

    def test_what_is_not_there(self) -> None:
        with served(self.folder) as url:
            ended = self.install(f"--from={url}")
            self.assert_refused(ended, f"cannot fetch {url}/{NAME}.tar.xz")

    def test_a_folder_that_is_something_else(self) -> None:
        self.home_folder.mkdir(parents=True)
        (self.home_folder / "kept").touch()
        self.assert_refused(self.from_folder(), "is not a bundle of callgrind-exact")
        self.assert_refused(self.install("--uninstall"), "nothing of callgrind-exact")
        self.assertTrue((self.home_folder / "kept").exists())

    def test_words_that_it_does_not_know(self) -> None:
        self.assert_refused(self.install("--prefx=/tmp"), "unknown word '--prefx=/tmp'")

    def test_without_a_place(self) -> None:
        self.assert_refused(self.install(), "from where?")

    def test_the_one_in_the_sources_asks_which_version(self) -> None:
        ended = run("sh", SOURCE / "install.sh", f"--prefix={self.prefix}")
        self.assert_refused(ended, "which version?")

    def test_half_a_script_does_nothing(self) -> None:
        text = archive().with_name("install.sh").read_text()
        cut = text[: text.index('main "$@"')]
        ended = run("sh", "-s", "--", f"--from={archive().parent}",
                    f"--prefix={self.prefix}", stdin=cut)
        self.assertFalse(self.prefix.exists(), ended.out)


class Uninstall(InstallerTest):
    def test_nothing_is_left(self) -> None:
        self.assert_ended(self.from_folder(), 0)
        ended = self.install("--uninstall")
        self.assert_ended(ended, 0)
        self.assertIn(f"removed callgrind-exact {VERSION}", ended.out)
        self.assertEqual(self.links(), set())
        self.assertEqual(list((self.prefix / "lib").iterdir()), [])
