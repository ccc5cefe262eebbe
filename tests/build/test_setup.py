# SPDX-License-Identifier: GPL-2.0-or-later
#
# coregrind/setup.sh: from a clean clone to a build.  Packages are missing, and installed,
# in a made-up PATH: a folder of links to the system's commands, less some, with an
# apt-get that puts them back.

"""First use, later uses, and what is missing."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.build.built import SOURCE, BuildTest, Ended, run
from tests.machines.source_copy import copy_to

SET_UP = """
set -euo pipefail
. coregrind/setup.sh
setup testing "$@"
echo set up
"""

# Records its words; `install` brings back what was taken away.
FAKE_APT_GET = """#!/bin/sh
echo "$*" >> "$APT_LOG"
case $1 in
   install) mv "$TAKEN_AWAY"/* "${0%/*}" ;;
esac
"""


# Makes a configure that makes a Makefile by which nothing is to be done.
FAKE_AUTORECONF = """#!/bin/sh
cat > configure << 'END'
#!/bin/sh
printf 'all:\\nclean:\\n' > Makefile
END
chmod +x configure
"""


# What is built here need not be fast.
ENVIRONMENT = {"CFLAGS": "-O0", "MAKEFLAGS": "", "MAKELEVEL": ""}

# What a test may take away, or has only where it adds it.
REMOVABLE = ("bzip2", "perl")
ABSENT = ("apt-get", "sudo")


@functools.lru_cache(maxsize=None)
def links_to_commands() -> tuple[Path, dict[str, str]]:
    """A folder of links to the system's commands without those above, and where the
    removable ones are.  Made on first use; no test changes it; gone at exit."""
    commands: dict[str, str] = {}
    for place in reversed(os.environ["PATH"].split(":")):
        if os.path.isdir(place):
            commands.update({entry.name: entry.path for entry in os.scandir(place)})
    folder = tempfile.mkdtemp(prefix="callgrind-exact-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, path in commands.items():
        if name not in (*REMOVABLE, *ABSENT):
            os.symlink(path, os.path.join(folder, name))
    return Path(folder), {name: commands[name] for name in REMOVABLE if name in commands}


class SetupTest(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.bin = self.folder / "bin"
        self.taken_away = self.folder / "taken away"
        self.apt_log = self.folder / "apt.log"
        self.bin.mkdir()
        self.taken_away.mkdir()
        links, removable = links_to_commands()
        self.path = f"{self.bin}:{links}"
        for name, path in removable.items():
            (self.bin / name).symlink_to(path)

    def take_away(self, *commands: str) -> None:
        for command in commands:
            (self.bin / command).rename(self.taken_away / command)

    def add_command(self, name: str, text: str) -> None:
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def set_up(self, source: Path, *packages: str, script: str = SET_UP) -> Ended:
        return run(
            "bash", "-c", script, "bash", *packages, cwd=source,
            env={**os.environ, **ENVIRONMENT}, PATH=self.path,
            APT_LOG=str(self.apt_log), TAKEN_AWAY=str(self.taken_away),
        )


class Clone(SetupTest):
    """A clean clone, in a folder with a space in its name."""

    def setUp(self) -> None:
        super().setUp()
        self.clone = self.folder / "a clone"
        copy_to(self.clone)

    def set_up_at_once(self, *packages: str) -> list[Ended]:
        """Two first uses at the same time."""
        environment = {**os.environ, **ENVIRONMENT, "PATH": self.path}
        both = [
            subprocess.Popen(["bash", "-c", SET_UP, "bash", *packages], cwd=self.clone,
                             env=environment, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(2)
        ]
        # A pipe has room for what the second says meanwhile.
        said = [process.communicate() for process in both]
        return [Ended(process.returncode, *texts) for process, texts in zip(both, said)]

    def tool_of(self, clone: Path) -> bytes:
        (tool,) = (clone / "build" / "callgrind").glob("callgrind-*-linux")
        return tool.read_bytes()

    def some_made(self, build: Path) -> dict[str, bytes]:
        """Some of what make makes, by their names."""
        objects = sorted(build.glob("callgrind/base/callgrind_*.o"))
        paths = [*objects, build / "second_transtab.o"]
        return {str(path.relative_to(build)): path.read_bytes() for path in paths}

    def assert_counts(self, steps: str) -> None:
        """Each source that was compiled is told as one of all."""
        counts = re.findall(r"compiling \S+\.c \((\d+) of (\d+)\)\n", steps)
        self.assertEqual(len(counts), steps.count("compiling "))
        self.assertEqual(counts, [(str(number), str(len(counts)))
                                  for number in range(1, len(counts) + 1)])

    def test_first_use_later_uses_and_changes(self) -> None:
        packages = ("valgrind", "gcc", "make", "autoconf", "automake", "pkg-config")
        first = self.set_up_at_once(*packages)
        for one in first:
            self.assert_ended(one, 0)
            self.assertEqual(one.out, "set up\n")
        steps = "".join(one.err for one in first)
        for step in ("generating configure", "configuring", "compiling callgrind/main.c",
                     "linking callgrind-"):
            self.assertEqual(steps.count(f"testing: {step}"), 1, steps)
        self.assert_counts(steps)
        launcher = self.clone / "build" / "vg-in-place"
        tool = self.tool_of(self.clone)
        self.assertFalse(str(self.clone).encode() in tool, "its bytes name the folder")
        some_made = self.some_made(self.clone / "build")
        ended = run(launcher, "-q", "--tool=callgrind", "sh", "-c", "exit 3",
                    cwd=self.folder)
        self.assertEqual((ended.status, ended.err), (3, ""))

        with self.subTest("nothing to do: silent"):
            self.assertEqual(self.set_up(self.clone, *packages), Ended(0, "set up\n", ""))

        with self.subTest("a source is newer"):
            os.utime(self.clone / "callgrind" / "main.c")
            changed = self.set_up(self.clone, *packages)
            self.assert_ended(changed, 0)
            self.assertIn("compiling callgrind/main.c (1 of 1)\n", changed.err)
            self.assertNotIn("compiling callgrind/options/options.c", changed.err)

        with self.subTest("another Valgrind was installed: all is built again"):
            stamp = self.clone / "build" / "setup.stamp"
            stamp.write_text(stamp.read_text().replace(".a ", ".a 1"))
            objects = {
                path: path.stat().st_mtime_ns
                for path in (self.clone / "build").rglob("*.o")
            }
            self.assertGreater(len(objects), 50)
            # The build ends at the first source, which is enough to see what it does.
            main = self.clone / "callgrind" / "main.c"
            text = main.read_text()
            main.write_text(text + "\n#error broken on purpose\n")
            broken = self.set_up(self.clone, *packages)
            self.assertEqual((broken.status, broken.out), (1, ""))
            self.assertIn("testing: configuring", broken.err)
            self.assertEqual([path for path, made in objects.items()
                              if path.exists() and path.stat().st_mtime_ns == made], [])

        with self.subTest("a source does not compile"):
            self.assertIn("testing: the build failed", broken.err)
            self.assertIn("broken on purpose", broken.err)
            self.assertIn("build/setup.log", broken.err)

        with self.subTest("the clone was moved"):
            moved = self.folder / "moved"
            self.clone.rename(moved)
            broken = self.set_up(moved, *packages)
            self.assertIn("testing: configuring", broken.err)
            build = moved / "build"
            self.assert_ended(run("make", "-s", "-C", build, *some_made), 0)
            self.assertTrue(some_made == self.some_made(build), "bytes name the folder")

        with self.subTest("other flags: compiled again"):
            (target,) = build.glob("callgrind/base/callgrind_*-text.o")

            def made(flags: str) -> int:
                name = target.relative_to(build)
                self.assert_ended(run("make", "-s", "-C", build, name, flags), 0)
                return target.stat().st_mtime_ns

            self.assertEqual(made("CFLAGS=-g1"), made("CFLAGS=-g1"))
            self.assertNotEqual(made("CFLAGS=-g1"), made("CFLAGS=-g2"))


class Packages(SetupTest):
    """Nothing is built here: setup.sh meets a build system that has no work."""

    def setUp(self) -> None:
        super().setUp()
        self.clone = self.folder / "clone"
        (self.clone / "coregrind").mkdir(parents=True)
        for name in ("setup.sh", "other_packages.sh"):
            shutil.copy(SOURCE / "coregrind" / name, self.clone / "coregrind")
        self.add_command("autoreconf", FAKE_AUTORECONF)

    def test_nothing_missing_installs_nothing(self) -> None:
        self.add_command("apt-get", FAKE_APT_GET)
        self.assert_ended(self.set_up(self.clone, "make", "perl", "libc6-dev"), 0)
        self.assertFalse(self.apt_log.exists())

    def test_only_what_is_missing_is_installed(self) -> None:
        self.add_command("apt-get", FAKE_APT_GET)
        self.add_command("id", "#!/bin/sh\necho 0\n")
        self.take_away("perl", "bzip2")
        ended = self.set_up(self.clone, "make", "perl", "bzip2", "gcc")
        self.assert_ended(ended, 0)
        self.assertIn("testing: installing perl bzip2\n", ended.err)
        update, install = self.apt_log.read_text().splitlines()
        self.assertEqual(update, "update")
        self.assertRegex(install, r"^install -y .*perl bzip2$")

    def test_through_sudo_where_not_root(self) -> None:
        self.add_command("apt-get", FAKE_APT_GET)
        self.add_command("id", "#!/bin/sh\necho 1000\n")
        self.add_command("sudo", '#!/bin/sh\necho "sudo $*" >> "$APT_LOG"\n'
                                 '[ "$1" = -n ] && shift\nexec "$@"\n')
        self.take_away("perl")
        self.assert_ended(self.set_up(self.clone, "perl"), 0)
        self.assertIn("sudo apt-get update\nupdate\n", self.apt_log.read_text())

    def test_without_the_right_one_line_names_the_packages(self) -> None:
        self.add_command("apt-get", FAKE_APT_GET)
        self.add_command("id", "#!/bin/sh\necho 1000\n")
        self.take_away("perl", "bzip2")
        expected = ("testing: no right to install packages; ask for:"
                    " apt-get install perl bzip2\n")
        with self.subTest("no sudo"):
            self.assertEqual(self.set_up(self.clone, "make", "perl", "bzip2"),
                             Ended(1, "", expected))
        with self.subTest("sudo wants a password, and nobody is there"):
            self.add_command("sudo", "#!/bin/sh\nexit 1\n")
            self.assertEqual(self.set_up(self.clone, "make", "perl", "bzip2"),
                             Ended(1, "", expected))
        self.assertFalse(self.apt_log.exists())

    def elsewhere(self, release: str, *packages: str) -> str:
        """What is told without apt-get on a system with this /etc/os-release."""
        told = self.folder / "os-release"
        told.write_text(release)
        script = self.clone / "coregrind/setup.sh"
        text = (SOURCE / "coregrind/setup.sh").read_text()
        script.write_text(f"setup_os_release='{told}'\n{text}")
        ended = self.set_up(self.clone, *packages)
        self.assertEqual((ended.status, ended.out), (1, ""))
        self.assertEqual(ended.err.count("\n"), 1, ended.err)
        return ended.err

    def test_without_apt_another_systems_packages_are_named(self) -> None:
        self.take_away("perl", "bzip2")
        for release, command in (
            ("ID=fedora\n", "dnf install perl bzip2\n"),
            ("ID=manjaro\nID_LIKE=arch\n", "pacman -S --needed perl bzip2\n"),
            ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n',
             "zypper install perl bzip2\n"),
        ):
            told = self.elsewhere(release, "make", "perl", "bzip2")
            self.assertTrue(told.endswith(f"ask for: {command}"), told)
        told = self.elsewhere('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "perl")
        self.assertIn("the bundle needs none", told)
        told = self.elsewhere("ID=unheard-of\n", "perl", "bzip2")
        self.assertRegex(told, r"^testing: these are missing, .*: perl bzip2\n$")

    def test_readme_has_the_same_names(self) -> None:
        readme = (SOURCE / "README.md").read_text()
        packages = ("valgrind", "gcc", "make", "autoconf", "automake", "pkg-config",
                    "python3", "libc6-dev", "libdw-dev", "libiberty-dev")
        for family, system in (("fedora", "Fedora"), ("arch", "Arch Linux"),
                               ("suse", "openSUSE")):
            script = '. "$1"; family=$2; shift 2\n'
            script += 'for name; do other_name "$family" "$name"; done'
            ended = run("bash", "-c", script, "bash",
                        SOURCE / "coregrind/other_packages.sh", family, *packages)
            row = re.search(rf"^\| {system} \| `([^`]*)` \|", readme, re.M)
            assert row is not None, system
            self.assertEqual(set(row[1].split()[1:]) - {"-S", "--needed", "install"},
                             set(ended.out.split()))

    def test_in_a_source_tree_that_is_read_only(self) -> None:
        (self.clone / "build").write_text("in the way of a folder\n")
        # As ./profile does, and as ./check does for another machine.
        for script in (SET_UP, SET_UP.replace("setup testing", "setup_for testing")):
            ended = self.set_up(self.clone, "make", script=script)
            self.assertEqual(
                ended.err,
                f"testing: cannot write to {self.clone}/build; build in a folder of"
                f" yours: mkdir out && cd out && {self.clone}/configure && make\n")
            self.assertEqual((ended.status, ended.out), (1, ""))

    def test_without_apt_one_line_names_what_is_missing(self) -> None:
        self.take_away("perl", "bzip2")
        ended = self.set_up(self.clone, "make", "perl", "bzip2")
        self.assertEqual((ended.status, ended.out), (1, ""))
        self.assertRegex(ended.err, r"^testing: these are missing, .*: perl bzip2\n$")

    def test_wishes_are_installed_after_what_is_needed(self) -> None:
        self.add_command("apt-get", FAKE_APT_GET)
        self.add_command("id", "#!/bin/sh\necho 0\n")
        self.take_away("perl")
        ended = self.set_up(self.clone, "make", "perl", "--wish", "bzip2", "no-such-tool")
        self.assert_ended(ended, 0)
        words = self.apt_log.read_text().splitlines()
        self.assertEqual(words[0], "update")
        self.assertEqual(len(words), 3)  # the list of packages is fetched once
        self.assertRegex(words[1], r"^install -y .*recommends perl$")
        self.assertRegex(words[2], r"^install -y .*recommends no-such-tool$")

    def test_a_wish_that_fails_takes_no_others_with_it(self) -> None:
        self.add_command("apt-get", "#!/bin/sh\necho \"$*\" >> \"$APT_LOG\"\n"
                         "case $* in *no-such-tool*) exit 100 ;; esac\n")
        self.add_command("id", "#!/bin/sh\necho 0\n")
        self.take_away("perl")
        ended = self.set_up(self.clone, "make", "--wish", "bzip2", "no-such-tool",
                            "--wish", "make", "--wish", "perl")
        self.assertEqual((ended.status, ended.out), (0, "set up\n"))
        self.assertIn("testing: going on without no-such-tool\n", ended.err)
        installed = [line.split("recommends ")[1]
                     for line in self.apt_log.read_text().splitlines()
                     if line.startswith("install")]
        self.assertEqual(installed, ["no-such-tool", "perl"])

    def test_check_installs_what_the_chosen_runtimes_need(self) -> None:
        for name in ("check", "tests/run_suites", "tests/runtimes/packages"):
            (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / "check", self.clone)
        shutil.copy(SOURCE / "tests/find_python", self.clone / "tests")
        (self.clone / "tests/run_suites").write_text("#!/bin/sh\necho \"$*\"\n")
        (self.clone / "tests/run_suites").chmod(0o755)
        (self.clone / "tests/runtimes/packages").write_text(
            "# No package is no-such-thing.\n\nc no-such-c\nd no-such-d no-such-e\n"
        )
        with_programs = FAKE_AUTORECONF.replace("all:", "all test-programs:")
        self.add_command("autoreconf", with_programs)
        self.add_command("apt-get", "#!/bin/sh\necho \"$*\" >> \"$APT_LOG\"\n")
        self.add_command("id", "#!/bin/sh\necho 0\n")
        for words, expected in (
            (["runtimes"], {"no-such-c", "no-such-d", "no-such-e"}),
            (["style", "--runtimes=d"], {"no-such-d", "no-such-e"}),
            (["style"], set()),
        ):
            with self.subTest(" ".join(words)):
                self.apt_log.write_text("")
                ended = run(self.clone / "check", *words, cwd=self.folder,
                            env={**os.environ, **ENVIRONMENT}, PATH=self.path,
                            APT_LOG=str(self.apt_log))
                self.assert_ended(ended, 0)
                self.assertEqual(ended.out, " ".join(words) + "\n")
                asked = set(self.apt_log.read_text().split())
                self.assertEqual({name for name in asked if "no-such" in name}, expected)
                self.assertNotIn("package", asked)

    def test_all_goes_on_without_a_wish(self) -> None:
        self.take_away("perl")
        ended = self.set_up(self.clone, "make", "--wish", "perl")
        self.assertEqual((ended.status, ended.out), (0, "set up\n"))
        self.assertRegex(ended.err, r"these are missing, .*: perl\n")
        self.assertIn("testing: going on without perl\n", ended.err)
        self.add_command("apt-get", "#!/bin/sh\necho no such mirror; exit 100\n")
        self.add_command("id", "#!/bin/sh\necho 0\n")
        ended = self.set_up(self.clone, "make", "--wish", "perl")
        self.assertEqual((ended.status, ended.out), (0, "set up\n"))
        self.assertIn("testing: going on without perl\n", ended.err)

    def test_a_failing_installation_shows_its_end(self) -> None:
        self.add_command("apt-get", "#!/bin/sh\necho no such mirror; exit 100\n")
        self.add_command("id", "#!/bin/sh\necho 0\n")
        self.take_away("perl")
        ended = self.set_up(self.clone, "perl")
        self.assertEqual((ended.status, ended.out), (1, ""))
        self.assertIn("no such mirror", ended.err)

    def test_options_of_a_folder_configured_by_hand_stay(self) -> None:
        configure = self.clone / "configure"
        configure.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\" > words\n"
                             "printf 'all:\\nclean:\\n' > Makefile\n")
        status = self.clone / "build" / "config.status"
        status.parent.mkdir()
        status.write_text("#!/bin/sh\necho \"'--enable-debug-faults' 'CC=gcc -m64'\"\n")
        for script in (configure, status):
            script.chmod(0o755)
        self.assert_ended(self.set_up(self.clone, "make"), 0)
        words = (self.clone / "build" / "words").read_text().splitlines()
        self.assertEqual(words, ["--enable-debug-faults", "CC=gcc -m64"])

    def test_another_system_is_named(self) -> None:
        self.add_command("uname", "#!/bin/sh\necho Elsewhere\n")
        ended = self.set_up(self.clone, "make")
        self.assertEqual(ended.status, 1)
        self.assertEqual(ended.err,
                         "testing: callgrind-exact runs on Linux; this is Elsewhere\n")

    def test_another_processor_is_named(self) -> None:
        """Before anything is installed for it."""
        self.add_command(
            "uname", '#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo riscv64 ;; esac\n'
        )
        ended = self.set_up(self.clone, "make", "no-such-package")
        self.assertEqual(ended.status, 1)
        self.assertEqual(ended.err, "testing: supported are amd64-linux and arm64-linux;"
                                    " this is riscv64\n")
