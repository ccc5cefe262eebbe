# SPDX-License-Identifier: GPL-2.0-or-later
#
# `configure` on systems that lack something: each is made up in a temporary folder, as a
# valgrind.pc and what it points to, from the pieces of the Valgrind that is installed.

"""What configure accepts, and how it says no."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from tests.build.built import (
    BUILD,
    PLATFORM,
    SOURCE,
    STOCK_LAUNCHER,
    STOCK_TOOLS,
    BuildTest,
    Ended,
    makefile_variable,
    parts_told,
    run,
)

STOCK_LIBRARIES = Path(makefile_variable("CORE_LIBDIR"))
STOCK_HEADERS = Path(makefile_variable("CORE_INCLUDEDIR"))


# Names of variables in which configure keeps what it has found; not those of pkg-config.
OF_THIS_SYSTEM = "ac_cv_c_|ac_cv_objext|ac_cv_path_(?!PKG|ac_pt)|ac_cv_prog_|am_cv_"


def pkg_config(variable: str) -> str:
    return run("pkg-config", f"--variable={variable}", "valgrind").out.strip()


@functools.lru_cache(maxsize=None)
def known_of_this_system() -> dict[str, str]:
    """What configure has found out for this build of the compiler, make and other
    programs, none of which a test takes away: it need not look again, each time.  What
    concerns Valgrind is not among it; configure keeps none of that."""
    log = (BUILD / "config.log").read_text(encoding="utf-8", errors="replace")
    assignments = re.findall(rf"^(?:{OF_THIS_SYSTEM})\w*=.*$", log, re.M)
    words = shlex.split("\n".join(assignments))
    return dict(word.split("=", 1) for word in words)


class MadeUpSystem(BuildTest):
    """A Valgrind at self.prefix, complete until a test takes something away."""

    platform = PLATFORM

    def setUp(self) -> None:
        super().setUp()
        self.prefix = self.folder / "prefix"
        self.libraries = self.prefix / "lib" / "valgrind"
        self.tools = self.prefix / "libexec" / "valgrind"
        for folder in (self.libraries, self.tools, self.prefix / "bin"):
            folder.mkdir(parents=True)
        (self.prefix / "bin" / "valgrind").symlink_to(STOCK_LAUNCHER)
        (self.prefix / "include").symlink_to(STOCK_HEADERS)
        none = self.tools / f"none-{self.platform}"
        none.symlink_to(STOCK_TOOLS / f"none-{PLATFORM}")
        for name in ("coregrind", "vex", "gcc-sup"):
            stock = STOCK_LIBRARIES / f"lib{name}-{PLATFORM}.a"
            if stock.exists():
                self.library(name).symlink_to(stock)
        self.describe()

    def library(self, name: str) -> Path:
        return self.libraries / f"lib{name}-{self.platform}.a"

    def describe(self, version: str = "3.19.0", **changes: str) -> None:
        """Write valgrind.pc; keywords change its variables."""
        variables = {
            "prefix": str(self.prefix),
            "exec_prefix": "${prefix}",
            "libdir": "${prefix}/lib",
            "includedir": "${prefix}/include",
            "arch": pkg_config("arch"),
            "os": pkg_config("os"),
            "platform": self.platform,
            "valt_load_address": pkg_config("valt_load_address"),
            **changes,
        }
        lines = [f"{name}={value}\n" for name, value in variables.items()]
        lines += ["Name: Valgrind\n", "Description: made up\n", f"Version: {version}\n"]
        (self.folder / "valgrind.pc").write_text("".join(lines))

    def change_header(self, name: str, old: str, new: str) -> None:
        """Replace a text in one header, in a copy of the folder of headers."""
        self.replace_in_header(name, re.escape(old), new.replace("\\", r"\\"))

    def replace_in_header(self, name: str, pattern: str, new: str) -> None:
        """As change_header(), for what matches a pattern, by a template."""
        headers = self.prefix / "include"
        if headers.is_symlink():
            headers.unlink()
            # No links: gcc looks beside a linked header for those that it includes.
            shutil.copytree(STOCK_HEADERS, headers)
        text, times = re.subn(pattern, new, (headers / name).read_text())
        self.assertGreater(times, 0, f"{name}: {pattern}")
        (headers / name).write_text(text)

    def configure(self, *options: str, **environment: Any) -> Ended:
        """Nothing is made there, so it need not make a thousand files of dependencies,
        which would take as long as all that is looked for."""
        options = ("--disable-dependency-tracking", *options)
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        return run(
            self.configure_script(), *options, cwd=build,
            env={**os.environ, **known_of_this_system()},
            PKG_CONFIG_LIBDIR=str(self.folder), PKG_CONFIG_PATH="", **environment,
        )

    def assert_refused(self, ended: Ended, *reasons: str) -> None:
        self.assertNotEqual(ended.status, 0, ended.out)
        for reason in reasons:
            self.assertIn(reason, ended.err)

    def config_h(self) -> str:
        return (self.folder / "build" / "config.h").read_text()

    def makefile(self) -> str:
        return (self.folder / "build" / "Makefile").read_text()

    def assert_version(self, version: str, number: int) -> None:
        self.assertIn(f'#define CORE_VERSION "{version}"\n', self.config_h())
        self.assertIn(f"#define CORE_VERSION_NUMBER {number}\n", self.config_h())


# Where the core's headers say which interface it has, in config.h.
PROBES = ("CORE_FNNAME_TAKES_EPOCH", "CORE_DISCARD_TAKES_EXTENTS")
NEWER = ("CORE_SHADOW_ALLOC_RETURNS_SYSRES", "CORE_OUT_OF_MEMORY_TAKES_ERROR")
# Calls that are led to the tool where the core can be asked what a debugger wants.
LED = ("--wrap=LibVEX_Translate", "--wrap=vgModuleLocal_read_elf_debug_info",
       "--wrap=vgPlain_search_transtab")


class Accepted(MadeUpSystem):
    """A run of configure takes a second or two, so each is asked for several things."""

    def test_complete_system(self) -> None:
        ended = self.configure()
        self.assert_ended(ended, 0)
        self.assert_version("3.19.0", 31900)
        for probe in PROBES:
            self.assertIn(f"#define {probe} 1\n", self.config_h())
        self.assertNotIn("#define CT_DEBUG_FAULTS", self.config_h())
        for name in LED:
            self.assertIn(name, self.makefile())

    def test_what_may_be_otherwise(self) -> None:
        """No libgcc-sup, tools in a folder of their own, other signatures, a version that
        is not released; and tests may inject faults."""
        self.describe("3.22.1-RC2")
        self.library("gcc-sup").unlink(missing_ok=True)
        elsewhere = self.folder / "else where"
        self.tools.rename(elsewhere)
        self.change_header(
            "pub_tool_debuginfo.h",
            "VG_(get_fnname)   ( DiEpoch ep, Addr a", "VG_(get_fnname)   ( Addr a",
        )
        self.change_header(
            "pub_tool_tooliface.h",
            "(Addr orig_addr, VexGuestExtents extents)", "(Addr orig_addr)",
        )
        self.assert_refused(self.configure(), "--with-valgrind-libexec=DIR")
        ended = self.configure(
            f"--with-valgrind-libexec={elsewhere}", "--enable-debug-faults"
        )
        self.assert_ended(ended, 0)
        self.assert_version("3.22.1-RC2", 32201)
        for probe in PROBES:
            self.assertIn(f"/* #undef {probe} */\n", self.config_h())
        self.assertIn("#define CT_DEBUG_FAULTS 1", self.config_h())

    def test_no_call_is_led_where_no_function_is_for_it(self) -> None:
        """translations/translate.c has none where the core cannot be asked what a
        debugger wants, and lines/late_lines.c depends on that."""
        unknown = "-Dvalgrind_single_stepping=no_such_question"
        self.assert_ended(self.configure(f"CFLAGS=-O1 {unknown}"), 0)
        self.assertIn("/* #undef CORE_CALLS_CAN_BE_WRAPPED */\n", self.config_h())
        for name in LED:
            self.assertNotIn(name, self.makefile())

    def assert_probes(self, **are_there: bool) -> None:
        for probe, is_there in are_there.items():
            with self.subTest(probe=probe):
                defined = f"#define {probe} 1\n" in self.config_h()
                self.assertEqual(defined, is_there)

    def test_a_function_that_is_not_there(self) -> None:
        """What depends on it is off, and nothing else: a call would break the link."""
        for missing, probe in (
            ("vgPlain_fd_hard_limit", "HAVE_VG_FD_HARD_LIMIT"),
            ("vexSetAllocModeTEMP_and_clear", "CORE_CALLS_CAN_BE_WRAPPED"),
            ("vgPlain_disp_cp_xindir", "CORE_CALLS_CAN_BE_WRAPPED"),
        ):
            flags = f"CFLAGS=-O1 -D{missing}=not_in_this_core"
            self.assert_ended(self.configure(flags), 0)
            self.assert_probes(**{
                probe: False,
                "HAVE_VG_DO_SYSCALL": True,
                "HAVE_CORE_DEMANGLE": True,
                "CORE_LOG_CAN_BE_ESCAPED": True,
            })

    def test_what_is_there_and_what_is_lost(self) -> None:
        """At the end, by the table that --stats=yes prints, too; the oldest core that is
        taken, and one that nobody knows."""
        self.describe("3.18.1")
        ended = self.configure()
        self.assert_ended(ended, 0)
        self.assertIn("   inlined functions: yes\n", ended.out)
        self.describe("4.0.0")
        missing = "vgPlain_clo_read_inline_info"
        ended = self.configure(f"CFLAGS=-O1 -D{missing}=not_in_this_core")
        self.assert_ended(ended, 0)
        self.assertIn("   inlined functions: no, they are not shown\n", ended.out)
        self.assertIn("   names of inlined functions: yes\n", ended.out)

    def member(self, name: str) -> str:
        """The object file of this name in the library of the core."""
        library = str(self.library("coregrind"))
        members = run("ar", "t", library).out.split()
        return next(one for one in members if one.endswith(f"-{name}"))

    def change_core(self, name: str, *tool: str) -> None:
        """Put what a tool makes of an object file in its place, in a copy of the library.
        The tool is given the file last."""
        library = self.library("coregrind")
        if library.is_symlink():
            original = library.resolve()
            library.unlink()
            shutil.copyfile(original, library)
        member = self.member(name)
        self.assert_ended(run("ar", "x", str(library), member, cwd=self.folder), 0)
        self.assert_ended(run(*tool, member, cwd=self.folder), 0)
        self.assert_ended(run("ar", "r", str(library), member, cwd=self.folder), 0)

    def test_another_user_of_the_table_of_translations(self) -> None:
        """A function for the table that is not led to the tool would see the first one
        only: there must not be two."""
        unknown = "vgPlain_find_in_transtab"
        added = f"{unknown}=.text:0,function,global"
        self.change_core("m_transtab.o", "objcopy", f"--add-symbol={added}")
        self.assert_ended(self.configure(), 0)
        self.assert_probes(CORE_TABLE_CAN_BE_DOUBLED=True)
        figures = "vgPlain_get_bbs_translated"
        self.change_core(
            "scheduler.o", "objcopy", "--redefine-sym", f"{figures}={unknown}"
        )
        self.assert_ended(self.configure(), 0)
        self.assert_probes(
            CORE_TABLE_CAN_BE_DOUBLED=False, CORE_CALLS_CAN_BE_WRAPPED=True
        )

    def test_calls_that_do_not_arrive(self) -> None:
        """The linker leads no call to the tool that stays within an object file."""
        lock = self.member("sched-lock.o")
        library = str(self.library("coregrind"))
        self.assert_ended(run("ar", "x", library, lock, cwd=self.folder), 0)
        self.change_core(
            "scheduler.o", "sh", "-c", 'ld -r -o both.o "$0" "$1" && mv both.o "$1"', lock
        )
        self.assert_ended(run("ar", "d", library, lock), 0)
        self.assert_ended(self.configure(), 0)
        self.assert_probes(
            CORE_LOCK_CAN_BE_WRAPPED=False, CORE_TABLE_CAN_BE_DOUBLED=True
        )

    def test_a_core_that_is_for_lto(self) -> None:
        """It is compiled first.  A part of the library is, here."""
        text = "int of_this_core(int n);\nint of_this_core(int n) { return n + 1; }\n"
        (self.folder / "added.c").write_text(text)
        compiled = run("gcc", *SLIM, "-c", "added.c", cwd=self.folder)
        self.assert_ended(compiled, 0)
        library = self.library("coregrind")
        original = library.resolve()
        library.unlink()
        shutil.copyfile(original, library)
        added = run("gcc-ar", "r", str(library), "added.o", cwd=self.folder)
        self.assert_ended(added, 0)
        ended = self.configure()
        self.assert_ended(ended, 0)
        self.assert_probes(CORE_TABLE_CAN_BE_DOUBLED=True, CORE_LOCK_CAN_BE_WRAPPED=True)
        build = self.folder / "build"
        self.assertIn("CORE_ARCHIVES = native_core\n", (build / "Makefile").read_text())
        native = build / "native_core" / library.name
        self.assertNotIn(b"__gnu_lto_slim", native.read_bytes())
        members = [run("ar", "t", str(one)).out for one in (library, native)]
        self.assertEqual(members[0], members[1])

    def test_another_entry_into_translated_code(self) -> None:
        """It would not set the registers that are kept from VEX."""
        entry = "vgPlain_disp_run_quickly=.text:0,function,global"
        self.change_core(f"dispatch-{PLATFORM}.o", "objcopy", f"--add-symbol={entry}")
        self.assert_ended(self.configure(), 0)
        self.assert_probes(
            CORE_REGISTERS_CAN_BE_RESERVED=False, CORE_CALLS_CAN_BE_WRAPPED=True
        )

    def test_what_the_core_says_when_it_has_no_memory(self) -> None:
        """A result with an error in it, as later cores give it, or a null pointer."""
        for result, arguments, are_there in (
            ("void*", "", ()),
            ("SysRes", "", NEWER[:1]),
            ("SysRes", ", UWord err", NEWER),
        ):
            self.replace_in_header(
                "pub_tool_aspacemgr.h",
                r"extern \w+\*? *(VG_\(am_shadow_alloc\))",
                rf"extern {result} \1",
            )
            self.replace_in_header(
                "pub_tool_mallocfree.h",
                r"(VG_\(out_of_memory_NORETURN\)[^;]*SizeT szB)[^)]*\)",
                rf"\1{arguments})",
            )
            self.assert_ended(self.configure(), 0)
            for probe in NEWER:
                with self.subTest(probe=probe, result=result, arguments=arguments):
                    is_there = f"#define {probe} 1\n" in self.config_h()
                    self.assertEqual(is_there, probe in are_there)


class OtherPlatform(MadeUpSystem):
    platform = "amd64-elsewhere"

    def test_other_platform_is_refused(self) -> None:
        self.assert_refused(
            self.configure(), "is for amd64-elsewhere", "amd64-linux and arm64-linux"
        )


class Rechecked(MadeUpSystem):
    """As make does when configure is newer, in another shell's environment."""

    def test_it_finds_the_same_core(self) -> None:
        self.describe("3.24.7")
        self.assert_ended(self.configure(), 0)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("PKG_CONFIG")}
        ended = run("./config.status", "--recheck", cwd=self.folder / "build",
                    env=environment)
        self.assert_ended(ended, 0)
        self.assertIn("checking for the installed Valgrind... 3.24.7 for", ended.out)


class Refused(MadeUpSystem):
    def test_no_valgrind(self) -> None:
        (self.folder / "valgrind.pc").unlink()
        self.assert_refused(self.configure(), "no package 'valgrind'",
                            "apt-get install valgrind")

    def test_no_pkg_config(self) -> None:
        # As if the search in PATH had been made and had found nothing.
        ended = self.configure(
            PKG_CONFIG="", ac_cv_path_PKG_CONFIG="", ac_cv_path_ac_pt_PKG_CONFIG=""
        )
        self.assert_refused(ended, "install the package pkg-config")

    def test_too_old(self) -> None:
        """Debian 11 has 3.16; Ubuntu 22.04 has 3.18, which is taken."""
        for version in ("3.16.1", "3.17.0"):
            with self.subTest(version=version):
                self.describe(version)
                self.assert_refused(self.configure(), f"{version} is too old",
                                    "Supported are 3.18 to 3.27", "tested by nobody")

    def test_unreadable_version(self) -> None:
        self.describe("unknown")
        self.assert_refused(self.configure(), "cannot read Valgrind's version")

    def test_no_load_address(self) -> None:
        self.describe(valt_load_address="")
        self.assert_refused(self.configure(), "CORE_LOAD_ADDRESS")

    def test_no_static_library(self) -> None:
        """Which package has it, by distribution."""
        self.library("vex").unlink()
        self.assert_refused(self.configure(), f"libvex-{PLATFORM}.a is missing",
                            "apt-get install valgrind", "valgrind-tools-devel",
                            "pacman -S valgrind", "apk add valgrind-dev", "the bundle")

    def test_unusable_static_library(self) -> None:
        self.library("coregrind").unlink()
        run("ar", "cr", self.library("coregrind"))
        self.assert_refused(self.configure(), "cannot be built with the installed core")

    def test_no_headers(self) -> None:
        (self.prefix / "include").unlink()
        self.assert_refused(self.configure(), "pub_tool_basics.h is missing")

    def test_unusable_headers(self) -> None:
        self.change_header("pub_tool_tooliface.h", "#define", "#error unusable\n#define")
        self.assert_refused(self.configure(), "cannot be built with the installed core")

    def test_other_interface_of_client_requests(self) -> None:
        known = "(*handle_client_request)(ThreadId tid, UWord* arg_block, UWord* ret)"
        other = "(*handle_client_request)(ThreadId tid)"
        self.change_header("pub_tool_tooliface.h", known, other)
        self.assert_refused(self.configure(), "another interface for client")

    def test_flags_that_break_a_tool(self) -> None:
        for flag in ("-fstack-protector-strong", "-fPIC"):
            self.assert_refused(self.configure(f"CFLAGS={flag}"), flag)

    def test_no_launcher(self) -> None:
        self.describe("3.26.0.GIT")
        (self.prefix / "bin" / "valgrind").unlink()
        self.assert_refused(self.configure(), "bin/valgrind is missing")
        # The number of that version was found before.
        found = (self.folder / "build" / "config.log").read_text()
        self.assertIn("#define CORE_VERSION_NUMBER 32600\n", found)


SLIM = ("-O2", "-flto", "-fno-fat-lto-objects")


class ForLto(BuildTest):
    """A little library like the core's, in which a function calls another one."""

    SOURCES = {
        # Of a larger file LTO makes parts, which have to share what is local to it.
        "translate.c": "static volatile int local;\n"
                       "int another(int n) { return local += n; }\n"
                       "int translate(int n) { return n + 1 + local; }\n",
        "schedule.c": "int translate(int n);\n"
                      "int schedule(int n) { return translate(n); }\n",
        "tool.c": "int schedule(int n);\n"
                  "int __real_translate(int n);\n"
                  "int __wrap_translate(int n) { return 40 + __real_translate(n); }\n"
                  "int main(void) { return schedule(1); }\n",
    }

    def status_with(self, library: str, *options: str) -> int:
        """42, if the call was led to the tool; else 2."""
        linked = run("gcc", "-O2", "-Wl,--wrap=translate", *options, "-o", "tool",
                     "tool.c", library, cwd=self.folder)
        self.assert_ended(linked, 0)
        return run(str(self.folder / "tool")).status

    def make_library(self, name: str, *flags: str) -> None:
        for source, text in self.SOURCES.items():
            (self.folder / source).write_text(text)
        parts = ("translate.c", "schedule.c")
        self.assert_ended(run("gcc", *flags, "-c", *parts, cwd=self.folder), 0)
        self.assert_ended(run("gcc-ar", "cr", name, "translate.o", "schedule.o",
                              cwd=self.folder), 0)

    def test_calls_arrive_where_there_is_native_code_besides(self) -> None:
        """The linker takes it, if it is told to."""
        self.make_library("fat.a", "-O2", "-flto", "-ffat-lto-objects")
        self.assertEqual(self.status_with("fat.a"), 2)
        of_the_tool = shlex.split(makefile_variable("TOOL_LDFLAGS"))
        self.assertIn("-fno-lto", of_the_tool)
        self.assertEqual(self.status_with("fat.a", "-fno-lto"), 42)

    def test_calls_arrive_once_it_is_native(self) -> None:
        self.make_library("slim.a", *SLIM)
        self.assertEqual(self.status_with("slim.a"), 2)
        script = SOURCE / "coregrind" / "native_archive.sh"
        made = run("sh", script, "slim.a", "native.a", cwd=self.folder, CC="gcc -O2")
        self.assert_ended(made, 0)
        self.assertEqual(self.status_with("native.a"), 42)
        divided = "gcc -O2 --param lto-min-partition=1 --param lto-partitions=9"
        made = run("sh", script, "slim.a", "whole.a", cwd=self.folder, CC=divided)
        self.assert_ended(made, 0)
        self.assertNotIn("lto_priv", run("nm", "-g", "whole.a", cwd=self.folder).out)
        failed = run("sh", script, "slim.a", "other.a", cwd=self.folder, CC="false")
        self.assertNotEqual(failed.status, 0)
        self.assertFalse((self.folder / "other.a").exists())


class ThisBuild(BuildTest):
    def test_configured_out_of_the_source_folder(self) -> None:
        """With the options of this build, anywhere, the same comes out."""
        options = [
            option
            for option in shlex.split(run(BUILD / "config.status", "--config").out)
            if not option.startswith("--srcdir=")
        ]
        other = self.folder / "other build"
        other.mkdir()
        self.assert_ended(run(self.configure_script(), *options, cwd=other), 0)
        self.assertEqual(
            (other / "config.h").read_text(), (BUILD / "config.h").read_text()
        )


class OptionalParts(BuildTest):
    """Without these the tool works all the same, with less or more slowly: nothing else
    would tell that a probe has come to say no."""

    EVERYWHERE = (
        "CORE_CALLS_CAN_BE_WRAPPED", "CORE_CPUID_CAN_BE_WRAPPED",
        "CORE_LINES_CAN_BE_PUT_OFF", "CORE_LOG_CAN_BE_ESCAPED",
        "CORE_REGISTERS_CAN_BE_RESERVED", "CORE_SIGNAL_CAN_BE_AIMED",
        "CORE_SYMBOLS_CAN_BE_PUT_OFF", "CORE_TABLE_CAN_BE_DOUBLED",
        "HAVE_VG_MACHINE_ARCH_INFO",
    )
    TWO_STEPS = ("CORE_READS_DEBUG_IN_TWO_STEPS",)
    BY_VERSION = {"3.19": (), "3.24": TWO_STEPS, "3.27": TWO_STEPS}

    def test_are_there_with_the_cores_of_debian(self) -> None:
        config = (BUILD / "config.h").read_text(encoding="utf-8")
        version = re.search(r'^#define CORE_VERSION "(\d+\.\d+)', config, re.M)
        assert version is not None
        if PLATFORM != "amd64-linux" or version[1] not in self.BY_VERSION:
            self.skipTest(f"not known of {version[1]}, {PLATFORM}")
        wanted = (*self.EVERYWHERE, *self.BY_VERSION[version[1]])
        missing = [name for name in wanted if f"#define {name} 1\n" not in config]
        self.assertEqual(missing, [])

    def test_are_told_of(self) -> None:
        ended = run(
            BUILD / "vg-in-place", "--tool=callgrind", "--stats=yes",
            "--callgrind-out-file=/dev/null", "true", cwd=self.folder,
        )
        self.assert_ended(ended, 0)
        for line in parts_told():
            self.assertEqual(ended.err.count(line), 1, line)
