# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processes in namespaces of their own, as in a container: there a process has another
# number, and its paths lead to other files.  Needs the right to make such namespaces.

"""PID and mount namespaces."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
from pathlib import Path
from typing import Iterator

from tests.sampler.sampling import (
    PATIENCE,
    SAMPLER,
    Sampled,
    SamplerTest,
    Word,
    cpu_time_at_stop,
    let_work,
    processes_of,
    quote,
    read_forest,
    wait_until,
)
from tests.sampler.test_processes import share_named

TURNS = 400_000_000  # some tenths of a second
MADE = "made_at_run_time"
WAYS = ("map", "dump")


@functools.lru_cache(maxsize=None)
def unshare() -> list[str]:
    """The command that runs another in PID and mount namespaces of its own, where /proc
    shows them; [] if this user cannot."""
    for user in ("", "-U -r"):
        command = ["unshare", *user.split(), "-f", "-p", "-m", "--mount-proc"]
        with contextlib.suppress(OSError):
            if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL,
                              timeout=PATIENCE).returncode == 0:
                return command
    return []


class NamespacesTest(SamplerTest):
    def setUp(self) -> None:
        super().setUp()
        if not unshare():
            self.skipTest("this user may not make namespaces (unshare)")
        self.program = self.build("jit_code.c")

    def in_a_container(self, program: Path, *words: str, before: str = "") -> list[str]:
        """The command that runs a program from a /tmp that nobody else sees."""
        return [*unshare(), "sh", "-ec",
                f"exec 9<{quote(program)}; {before} mount -t tmpfs none /tmp; "
                f"cp /proc/self/fd/9 /tmp/{program.name}; chmod 755 /tmp/{program.name}; "
                + " ".join(words or [f"exec /tmp/{program.name}"])]

    def assert_named(self, sampled: Sampled) -> None:
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertGreater(sampled.share(MADE), 0.5, sampled.err)

    @contextlib.contextmanager
    def own_files(self) -> Iterator[None]:
        """In /tmp, of the first processes of a namespace."""
        paths = [Path("/tmp", form.format(number)) for number in range(1, 5)
                 for form in ("perf-{}.map", "jit-{}.dump")]

        def remove() -> None:
            for path in paths:
                with contextlib.suppress(PermissionError):
                    path.unlink(missing_ok=True)

        remove()
        if any(path.exists() for path in paths):
            self.skipTest("there are /tmp/perf-1.map and the like, of another user")
        try:
            yield
        finally:
            remove()

    def test_code_of_a_process_that_has_another_number_for_itself(self) -> None:
        """Also in a namespace within one, and where /proc is that of outside."""
        for way in WAYS:
            for command in (unshare(), [*unshare(), *unshare()], unshare()[:-1]):
                with self.subTest(way, command=command), self.own_files():
                    self.assert_named(self.sample(*command, self.program, way,
                                                  str(TURNS)))

    def test_code_in_a_container(self) -> None:
        for way in WAYS:
            with self.subTest(way):
                self.assert_named(self.sample(*self.in_a_container(
                    self.program, f"exec /tmp/{self.program.name} {way} {TURNS}")))

    def test_code_below_another_root(self) -> None:
        """Its /tmp is a link with an absolute path, which leads to a folder there."""
        program = self.build("jit_code.c", "-static", name="static")
        root = self.folder / "root"
        (root / "var" / "files").mkdir(parents=True)
        (root / "tmp").symlink_to("/var/files")
        (root / "program").write_bytes(program.read_bytes())
        (root / "program").chmod(0o755)
        for way in WAYS:
            with self.subTest(way):
                self.assert_named(self.sample(*unshare(), "chroot", root, "/program", way,
                                              str(TURNS)))

    def test_a_file_of_that_number_outside_is_not_meant(self) -> None:
        """It would be of the first process of ours."""
        with self.own_files():
            Path("/tmp/perf-1.map").write_text(f"0 {1 << 47:x} wrong\n")
            sampled = self.sample(*self.in_a_container(
                self.program, "touch /tmp/perf-1.map; exec /tmp/jit_code dump "
                f"{TURNS}"))
        self.assert_named(sampled)
        self.assertEqual(sampled.share("wrong"), 0)

    def test_a_program_that_only_the_container_has(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-Wl,--build-id=none")
        sampled = self.sample(*self.in_a_container(program,
                                                   "exec /tmp/two_paths 3000"))
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertGreater(share_named(sampled.of_command("/tmp/two_paths 3000")), 0.98)

    def test_attached_from_outside(self) -> None:
        tree = self.folder / "tree"
        with subprocess.Popen(self.in_a_container(
                self.program, "exec /tmp/jit_code map 1000000000000")):
            # Below the folder of the tests there is another program of that name.
            inside = Path("/tmp", self.program.name)
            wait_until(lambda: processes_of(inside) != [], "the program works")
            (process,) = processes_of(inside)
            with subprocess.Popen([SAMPLER, "-o", tree, "-p", str(process)],
                                  stderr=subprocess.PIPE, text=True) as running:
                self.wait_for(running.pid, "anon_inode:[perf_event]")
                let_work(process, 0.5)
                os.kill(process, signal.SIGKILL)
                _, err = running.communicate(timeout=PATIENCE)
        self.assert_named(Sampled(running.returncode, "", err, read_forest([tree])))

    def test_a_process_that_has_ended_before_it_is_looked_at(self) -> None:
        """The sampler is stopped while it lives.  The container was seen, which stays
        open: the perf map is the one there that was written in that time."""
        go, done, tree = (self.folder / name for name in ("go", "done", "tree"))
        os.mkfifo(go)
        for way in WAYS:
            with self.subTest(way):
                done.write_text("")
                command = self.in_a_container(
                    self.program, f"read word <&7; /tmp/jit_code {way} {TURNS}; "
                    "echo ended >&8; read word <&7",
                    before=f"exec 7<{quote(go)} 8>{quote(done)};")
                with subprocess.Popen([SAMPLER, "-o", tree, *command],
                                      stderr=subprocess.PIPE, text=True) as running:
                    with open(go, "w", 1) as words:
                        self.wait_for(running.pid, "mnt:[")
                        cpu_time_at_stop(running.pid)
                        words.write("go\n")
                        wait_until(lambda: done.read_text() != "", "the program ended")
                        words.write("end\n")
                    running.send_signal(signal.SIGCONT)
                    _, err = running.communicate(timeout=PATIENCE)
                self.assert_named(Sampled(running.returncode, "", err,
                                          read_forest([tree])))

    def wait_for(self, pid: int, what: str) -> None:
        """Until a process has opened something whose name begins so."""
        def is_open() -> bool:
            links = []
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                    links.append(os.readlink(entry))
            return any(link.startswith(what) for link in links)

        wait_until(is_open, f"process {pid} has opened {what}")

    def sample_in(self, namespace: list[str], *words: Word) -> Sampled:
        """With a sampler that is in a namespace, too."""
        tree = self.folder / "tree"
        tree.unlink(missing_ok=True)
        done = subprocess.run([*namespace, SAMPLER, "-o", tree, *words], text=True,
                              stderr=subprocess.PIPE, timeout=PATIENCE)
        return Sampled(done.returncode, "", done.stderr,
                       read_forest([tree]) if tree.exists() else None)

    def test_a_sampler_in_a_namespace(self) -> None:
        if "-U" in unshare():
            self.skipTest("this user may not sample in a namespace")
        for namespace in (unshare(), unshare()[:-1]):
            for way in WAYS:
                with self.subTest(namespace, way=way), self.own_files():
                    self.assert_named(self.sample_in(namespace, self.program, way,
                                                     str(TURNS)))

    def test_a_sampler_whose_proc_is_that_of_outside(self) -> None:
        """There its numbers are of other processes: it asks /proc for nothing."""
        if "-U" in unshare():
            self.skipTest("this user may not sample in a namespace")
        sampled = self.sample_in(unshare()[:-1], "-p", "1")
        self.assertEqual(sampled.status, 2)
        self.assertIn("/proc shows another PID namespace than ours", sampled.err)
