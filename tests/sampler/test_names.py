# SPDX-License-Identifier: GPL-2.0-or-later
#
# What functions are called: C++, Rust, inlined functions, separate debug files, code of a
# JIT, the kernel, and objects that are folded away.

"""Names."""

from __future__ import annotations

import ctypes.util
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.sampler.driving import drive
from tests.sampler.sampling import (
    OFTEN,
    PROGRAMS,
    Sampled,
    SampledPath,
    SamplerTest,
    no_inlining,
    quote,
)


OPENS_PACKAGES = (0, 192)  # from this version on, libdw does
PACKERS = ("dwp", "llvm-dwp", "llvm-dwp-19")


def libdw_version() -> tuple[int, ...]:
    """Of the libdw that the sampler was linked to."""
    asked = subprocess.run(["pkg-config", "--modversion", "libdw"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout
    return tuple(map(int, asked.strip().split(".")))


class SlowServer:
    """A server of debug files that thinks before it answers."""

    SECONDS = 1.0

    def __init__(self, files: dict[str, bytes]) -> None:
        asked: list[tuple[str, float]] = []  # what, and when: of the monotonic clock

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, time.monotonic()))
                time.sleep(SlowServer.SECONDS if self.path in files else 0)
                self.send_response(200 if self.path in files else 404)
                data = files.get(self.path, b"")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.asked = asked
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "SlowServer":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class NamesTest(SamplerTest):
    def inlined_paths(self, sampled: Sampled) -> list[SampledPath]:
        """Those below main() that end in an inlined function, which have nearly all
        samples. What the kernel does there, as when another program wants the processor,
        is left out."""
        own = [p._replace(frames=tuple(f for f in p.frames if f.object != "[kernel]"))
               for p in sampled.paths() if "main" in p.names()]
        worked = [p for p in own if p.frames[-1].kind == "i"]
        self.assertGreater(sum(p.samples for p in worked), 0.7 * sampled.samples(),
                           sampled.paths())
        return worked

    def test_inlined_functions(self) -> None:
        sampled = self.sample(self.build("inlined.cpp", "-g"))
        worked = self.inlined_paths(sampled)
        for path in worked:
            self.assertEqual([(f.name, f.kind) for f in path.frames[-2:]],
                             [("shop::around(shop::Counter<unsigned int>&)", "c"),
                              ("shop::Counter<unsigned int>::inlined_work(unsigned int)",
                               "i")])
        assert sampled.forest is not None
        (function,) = [f for f in sampled.forest.functions if "inlined_work" in f.name]
        self.assertTrue(function.source.endswith("inlined.cpp"))
        self.assertEqual(function.line, 10)

    def test_inlined_lambdas(self) -> None:
        """gcc gives them no linkage names; what a template makes of each is its own."""
        for flags in (["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-5", "-gsplit-dwarf"]):
            with self.subTest(flags=flags):
                self.check_lambdas(self.build("inlined_lambdas.cpp", "-g", *flags))

    def check_lambdas(self, program: Path) -> None:
        sampled = self.sample(program)
        self.assertTrue(self.inlined_paths(sampled))
        assert sampled.forest is not None
        # Newer compilers may give them linkage names, which have other brackets.
        form = re.compile(r"shop::(repeated|work).*[<{]lambda(?:\(\))?#(\d)[>}].*")
        found = [(*match.groups(), f.source.rsplit("/", 1)[-1], f.line)
                 for f in sampled.forest.functions
                 for match in [form.fullmatch(f.name)] if match]
        source = "inlined_lambdas.cpp"
        self.assertEqual(sorted(found), [("repeated", "1", source, 9),
                                         ("repeated", "2", source, 9),
                                         ("work", "1", source, 19),
                                         ("work", "2", source, 20)])

    def test_inlined_functions_in_a_file_of_their_own(self) -> None:
        for version in ("4", "5"):
            program = self.build("inlined.cpp", "-g", f"-gdwarf-{version}",
                                 "-gsplit-dwarf")
            self.assertTrue(list(program.parent.glob("*.dwo")))
            self.check_inlined(program)

    def test_inlined_functions_in_a_package(self) -> None:
        """As GNU's dwp and LLVM's make it."""
        if libdw_version() < OPENS_PACKAGES:
            self.skipTest("libdw here opens no packages")
        if not any(map(shutil.which, PACKERS)):
            self.skipTest(f"none of {', '.join(PACKERS)} is installed")
        for packer in filter(shutil.which, PACKERS):
            # Of version 5, GNU's makes none.
            for version in ("4",) if packer == "dwp" else ("4", "5"):
                with self.subTest(packer=packer, version=version):
                    self.check_package(packer, version)

    def check_package(self, packer: str, version: str) -> None:
        program = self.build("inlined.cpp", "-g", f"-gdwarf-{version}", "-gsplit-dwarf")
        package = program.with_name(program.name + ".dwp")
        subprocess.run([packer, "-e", program, "-o", package], check=True)
        for other in program.parent.glob("*.dwo"):
            other.unlink()
        self.check_inlined(program)

    def check_inlined(self, program: Path) -> None:
        sampled = self.sample(program)
        assert sampled.forest is not None
        self.assertTrue(self.inlined_paths(sampled))
        found = [(f.source.rsplit("/", 1)[-1], f.line)
                 for f in sampled.forest.functions if "inlined_work" in f.name]
        self.assertEqual(found, [("inlined.cpp", 10)])

    def test_a_pipe_in_place_of_such_a_file(self) -> None:
        """To open it would wait for a writer, which never comes."""
        program = self.build("inlined.cpp", "-g", "-gsplit-dwarf")
        (other,) = program.parent.glob("*.dwo")
        for pipe in (program.with_name(program.name + ".dwp"), other):
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
            with self.subTest(pipe=pipe.name):
                self.check_without_inlined(program)
            pipe.unlink()

    def check_without_inlined(self, program: Path) -> None:
        sampled = self.sample(program)
        # The loader's own functions may end in inlined ones.
        own = [p for p in sampled.paths() if "main" in p.names()]
        self.assertEqual([p.names() for p in own if p.frames[-1].kind == "i"], [])
        self.assertTrue([p for p in sampled.paths() if "shop::around" in p.names()[-1]])

    def test_names_that_are_looked_up_early(self) -> None:
        """A tree that becomes large is settled while it grows, and is the same then."""
        sampled = self.sample("--test-without=room", self.build("inlined.cpp", "-g"))
        worked = self.inlined_paths(sampled)
        for path in sampled.paths():
            self.assertNotIn("", path.names(), sampled.paths())
        self.assertEqual(len({path.names()[-1] for path in worked}), 1, worked)

    def test_a_file_that_is_written_over_gives_no_names(self) -> None:
        """Names are looked up at the end: what the file holds then may be another's."""
        program = self.build("two_paths.c", "-pthread")
        quoted = quote(program)
        sampled = self.sample(OFTEN, "sh", "-c",
                              f"{quoted} 300; echo x >> {quoted}; true")
        self.assertEqual(sampled.share("dear"), 0)
        # Of the program alone: the shell, the loader and the kernel have names.
        own = {path.names()[-1] for path in sampled.paths()
               if path.frames[-1].object == str(program)}
        self.assertTrue(own)
        self.assertEqual({name for name in own if not name.startswith("0x")}, set())
        self.assertRegex(sampled.err, r" \d\d+\.\d% without a name")

    def check_separate(self, sampled: Sampled) -> None:
        self.assertGreater(sampled.share("dear"), 0.6)
        self.assertGreater(sampled.share("main"), 0.9)

    def test_a_debug_file_by_its_link(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-Wl,--build-id=none")
        hidden = self.folder / ".debug"
        hidden.mkdir()
        debug = hidden / "two_paths.debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["strip", program], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
        self.check_separate(self.sample(OFTEN, program, "250"))
        with open(debug, "ab") as file:  # another checksum: another program's file
            file.write(b"\0")
        sampled = self.sample(OFTEN, program, "250")
        self.assertEqual(sampled.share("dear"), 0)

    def test_a_debug_file_by_its_build_id(self) -> None:
        """In the distribution's folder of debug files, where nothing else is changed."""
        every = Path("/usr/lib/debug/.build-id")
        if not os.access(every, os.W_OK):
            self.skipTest(f"{every} is not ours to write to")
        number = os.urandom(8).hex()  # nobody else's, as a run beside this one would be
        folder = every / number[:2]
        debug = folder / f"{number[2:]}.debug"
        program = self.build("two_paths.c", "-pthread", "-g",
                             f"-Wl,--build-id=0x{number}")
        was_there = folder.exists()
        folder.mkdir(exist_ok=True)
        self.addCleanup(lambda: None if was_there else folder.rmdir())
        self.addCleanup(debug.unlink)
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["strip", program], check=True)
        self.check_separate(self.sample(OFTEN, program, "250"))
        # A file of that name which is of another build says nothing.
        other = self.build("two_paths.c", "-pthread", "-Wl,--build-id=0xdead",
                           name="other")
        shutil.copy(other, debug)
        self.assertEqual(self.sample(OFTEN, program, "50").share("dear"), 0)

    def test_a_slow_server_loses_no_samples(self) -> None:
        """It is asked when all was sampled."""
        if not ctypes.util.find_library("debuginfod"):
            self.skipTest("libdebuginfod is not installed")
        program = self.build("two_paths.c", "-pthread", "-Wl,--build-id=0xc0ffee4321")
        debug = self.folder / "debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["strip", program], check=True)
        with SlowServer({"/buildid/c0ffee4321/debuginfo": debug.read_bytes()}) as server:
            # The program is not the last that is sampled: its end is told.
            told = self.folder / "told"
            sampled = self.sample(
                OFTEN, "sh", "-c",
                f"{quote(program)} 300; exec {sys.executable} -c 'import time;"
                f" print(time.monotonic())' > {quote(told)}", env={
                    **os.environ, "DEBUGINFOD_URLS": server.url,
                    "DEBUGINFOD_CACHE_PATH": str(self.folder / "cache")})
            ended = time.monotonic()
        times = [when for path, when in server.asked
                 if path == "/buildid/c0ffee4321/debuginfo"]
        self.assertEqual(len(times), 1, server.asked)
        self.assertGreater(times[0], float(told.read_text()))
        self.assertGreater(ended, times[0] + SlowServer.SECONDS)
        self.assertEqual(sampled.status, 0, sampled.err)
        self.check_separate(sampled.of_command(f"{program} 300"))

    def test_a_debug_file_of_a_server(self) -> None:
        if not ctypes.util.find_library("debuginfod"):
            self.skipTest("libdebuginfod is not installed")
        program = self.build("two_paths.c", "-pthread", "-Wl,--build-id=0xc0ffee1234")
        served = self.folder / "served" / "buildid" / "c0ffee1234"
        served.mkdir(parents=True)
        subprocess.run(["objcopy", "--only-keep-debug", program, served / "debuginfo"],
                       check=True)
        subprocess.run(["strip", program], check=True)
        self.assertEqual(self.sample(OFTEN, program, "50").share("dear"), 0)
        self.check_separate(self.sample(OFTEN, program, "250", env={
            **os.environ, "DEBUGINFOD_URLS": f"{(self.folder / 'served').as_uri()}/",
            "DEBUGINFOD_CACHE_PATH": str(self.folder / "cache")}))

    def test_without_symbols_functions_are_told_apart(self) -> None:
        """By the addresses where call frame information says that they begin."""
        program = self.build("two_paths.c", "-pthread", "-no-pie")
        symbols = subprocess.run(["nm", program], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.split("\n")
        address = {line.split()[2]: int(line.split()[0], 16)
                   for line in symbols if len(line.split()) == 3}
        subprocess.run(["strip", program], check=True)
        sampled = self.sample(OFTEN, program, "300")
        self.assertGreater(sampled.share(f"0x{address['dear']:016x}"), 0.6)
        self.assertGreater(sampled.share(f"0x{address['main']:016x}"), 0.9)
        self.assertRegex(sampled.err, r" (9[0-9]|100)\.\d% without a name")

    def test_rust(self) -> None:
        if not shutil.which("rustc"):
            self.skipTest("rustc is not installed")
        for mangling in ("legacy", "v0"):
            program = self.folder / "mangled"
            built = subprocess.run(
                ["rustc", "-O", "-C", f"symbol-mangling-version={mangling}",
                 "-Z", "unstable-options", "-o", program, PROGRAMS / "mangled.rs"],
                stderr=subprocess.PIPE, text=True,
                env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
            if built.returncode != 0:
                self.skipTest(f"rustc cannot do it: {built.stderr[:200]}")
            sampled = self.sample(program)
            worked = "<mangled::shop::Till as mangled::shop::Work>::work"
            self.assertGreater(sampled.share(worked), 0.8, mangling)
            self.assertGreater(sampled.share("mangled::main"), 0.8, mangling)

    def test_javascript(self) -> None:
        if not shutil.which("node"):
            self.skipTest("node is not installed")
        sampled = self.sample(OFTEN, "node", "--perf-basic-prof", *no_inlining(),
                              PROGRAMS / "hot.js")
        self.assertEqual(sampled.status, 0, sampled.err)
        hot = [p for p in sampled.paths()
               if any("hotFunction" in f.name and f.kind == "j" for f in p.frames)]
        # The rest is node's start, which takes longer in some virtual machines.
        self.assertGreater(sum(p.samples for p in hot), 0.2 * sampled.samples())
        whole = [p for p in hot if "__libc_start_main" in ";".join(p.names())]
        self.assertGreater(sum(p.samples for p in whole),
                           0.9 * sum(p.samples for p in hot))
        for path in hot:
            self.assertEqual({f.object for f in path.frames if f.kind == "j"}, {"[jit]"})

    def test_javascript_of_a_jitdump_file(self) -> None:
        if not shutil.which("node"):
            self.skipTest("node is not installed")
        sampled = self.sample(OFTEN, "node", "--perf-prof", *no_inlining(),
                              PROGRAMS / "hot.js")
        self.assertEqual(sampled.status, 0, sampled.err)
        if not list(self.folder.glob("jit-*.dump")):
            self.skipTest("this node writes no jitdump file")
        hot = [p for p in sampled.paths()
               if any("hotFunction" in f.name and f.kind == "j" for f in p.frames)]
        self.assertGreater(sum(p.samples for p in hot), 0.2 * sampled.samples())

    def test_the_source_files_of_functions(self) -> None:
        """Read as libdw reads them, in every version of DWARF."""
        for version in (2, 3, 4, 5):
            for source in ("two_paths.c", "thrown.cpp"):
                program = self.build(source, "-g", f"-gdwarf-{version}", "-pthread")
                with self.subTest(source=source, version=version):
                    self.assertRegex(drive("sources", program), r"\A\d\d+ compared\n\Z")
                # What debug files of distributions have: compressed sections.
                subprocess.run(["objcopy", "--compress-debug-sections", program],
                               check=True)
                with self.subTest(source=source, version=version, compressed=True):
                    self.assertRegex(drive("sources", program), r"\A\d\d+ compared\n\Z")

    def test_names_of_the_kernel_in_any_order(self) -> None:
        """Modules come behind the kernel, and may have lower addresses; what is no code
        does not count; of two names of one address, the later one holds."""
        symbols = self.folder / "kallsyms"
        symbols.write_text("0000000000000000 A zero\nffff1000 T first\nffff1000 T alias\n"
                           "ffff2000 d data\nffff3000 t third\nffff5000 W last\n"
                           "ffff2800 t of_module\t[module]\nnonsense\nffff4000 T cut")
        self.assertEqual(drive("kallsyms", symbols, "fff", "ffff1000", "ffff1fff",
                               "ffff2000", "ffff27ff", "ffff2801", "ffff4000",
                               "ffff9000"),
                         "?\nalias\nalias\nalias\nalias\nof_module\nthird\nlast\n")
        symbols.write_text("0000000000000000 T hidden\n" * 100)
        self.assertEqual(drive("kallsyms", symbols, "ffff1000"), "?\n")
        symbols.write_text("ffff1000 T " + "x" * 100000 + "\nffff2000 T behind\n")
        self.assertEqual(drive("kallsyms", symbols, "ffff0000"), "?\n")

    def test_the_kernel_stands_below_the_call(self) -> None:
        sampled = self.sample("--kernel=auto", "dd", "if=/dev/zero", "of=/dev/null",
                              "bs=1M", "count=8000")
        inside = [p for p in sampled.paths() if p.frames[-1].kind == "k"]
        if not inside:
            self.skipTest("the kernel may not be sampled here")
        called = [p for p in inside if "__libc_start_main" in ";".join(p.names())]
        self.assertGreater(sum(p.samples for p in called),
                           0.8 * sum(p.samples for p in inside))
        for path in called:
            kinds = [f.kind for f in path.frames]
            first = kinds.index("k")
            self.assertEqual(set(kinds[first:]), {"k"})
        without = self.sample("--kernel=no", "dd", "if=/dev/zero", "of=/dev/null",
                              "bs=1M", "count=2000")
        self.assertFalse([p for p in without.paths() if p.frames[-1].kind == "k"])

    def test_an_object_that_is_folded_away(self) -> None:
        program = self.build("replaced.c", "-ldl")
        library = self.build("library.c", "-shared", "-fPIC", "-DNAME=true_work",
                             name="library.so")
        other = self.folder / "other.so"
        shutil.copy(library, other)
        sampled = self.sample("--obj-skip=*/library.so", program, library, other)
        self.assertEqual(sampled.share("true_work"), 0)
        self.assertGreater(sum(p.samples for p in sampled.paths()
                               if p.names()[-1] == "main"), 0.8 * sampled.samples())
        shutil.copy(library, other)
        sampled = self.sample("--obj-skip=*", program, library, other)
        self.assertGreater(sum(p.samples for p in sampled.paths()
                               if p.frames[-1][:2] == ("(skipped)", "s")),
                           0.8 * sampled.samples())

    def test_build_ids_and_mappings(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-Wl,--build-id=0xc0ffee11")
        sampled = self.sample(program, "200")
        assert sampled.forest is not None
        objects = {f.object for f in sampled.forest.functions if f.object}
        (found,) = [o for o in objects if Path(o.path).name == "two_paths"]
        self.assertEqual(found.build_id, "c0ffee11")

    def test_addresses_of_functions(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-no-pie")  # where nm says
        forest = self.sample(program, "200").forest
        assert forest is not None
        listed = subprocess.run(["nm", program], check=True, capture_output=True,
                                text=True)
        said = {words[2]: int(words[0], 16)
                for words in map(str.split, listed.stdout.splitlines())
                if len(words) == 3}
        found = {}
        for index, entry in forest.entries.items():
            function = forest.functions[index]
            if function.object is None or Path(function.object.path) != program:
                continue
            if function.name == "(plt)":  # sampled by chance; nm lists none
                continue
            addresses = [mapping.address_of(entry)
                         for mapping in forest.mappings_of(function.object)]
            (found[function.name],) = [each for each in addresses if each is not None]
        self.assertIn("dear", found)
        self.assertEqual(found, {name: said[name] for name in found})
