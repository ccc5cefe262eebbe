# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make install` and `make uninstall`: what lies where, and what must not be touched.

"""Installing, uninstalling, and the list of sources."""

from __future__ import annotations

import os
import re
import unittest
from pathlib import Path

from callgrind.report.tests.make_large_profile import KINDS, write_profile
from tests.build.built import (
    BUILD,
    IN_PLACE,
    PLATFORM,
    SOURCE,
    STOCK_BIN,
    STOCK_TOOLS,
    BuildTest,
    make,
    run,
)
from tests.source_files import files_below as files_of_ours, our_names


# What of callgrind/report is installed, with its folders: all but the tests.
REPORT = SOURCE / "callgrind" / "report"
REPORT_FILES = {
    str(path.relative_to(REPORT))
    for path in files_of_ours(REPORT)
    if path.suffix == ".py" and path.relative_to(REPORT).parts[0] != "tests"
}
PAGE_FILES = {path.name for path in files_of_ours(REPORT / "page")}
COMMANDS = [f"callgrind_{name}" for name in ("export", "gate", "report", "sample")]
# Where configure has found what it needs.
SAMPLER = {"bin/callgrind_sample"} if (BUILD / "callgrind_sample").exists() else set()
# What of a release is made of sources.
GENERATED = {"Makefile.in", "aclocal.m4", "config.h.in", "configure"} | {
    f"build-aux/{name}" for name in ("compile", "depcomp", "install-sh", "missing")
}


def files_below(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }


class Install(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.stage = self.folder / "stage"

    def install(self, *words: str) -> None:
        self.assert_ended(make("install", f"DESTDIR={self.stage}", *words), 0)

    def test_own_files_and_their_modes(self) -> None:
        self.install("prefix=/opt/exact")
        prefix = self.stage / "opt" / "exact"
        own = {
            name: prefix / name for name in files_below(prefix)
            if not (prefix / name).is_symlink()
        }
        self.assertEqual(
            set(own),
            {
                "bin/valgrind",
                "bin/callgrind_export",
                "bin/callgrind_gate",
                *SAMPLER,
                "bin/callgrind_report",
                f"libexec/valgrind/callgrind-{PLATFORM}",
                "libexec/callgrind-exact/read_profile",
                "include/valgrind/callgrind.h",
                "include/valgrind/callgrind_benchmark.h",
                "share/man/man1/callgrind-exact.1",
                "share/man/man1/callgrind_export.1",
                "share/man/man1/callgrind_gate.1",
                "share/man/man1/callgrind_sample.1",
                "share/man/man1/callgrind_report.1",
                *(f"share/bash-completion/completions/{name}" for name in COMMANDS),
                *(f"share/zsh/site-functions/_{name}" for name in COMMANDS),
                *(f"share/callgrind-exact/report/{name}" for name in REPORT_FILES),
                *(f"share/callgrind-exact/report/page/{name}" for name in PAGE_FILES),
            },
        )
        modes = {name: path.stat().st_mode & 0o777 for name, path in own.items()}
        self.assertEqual(modes["bin/valgrind"], 0o755)
        self.assertEqual(modes["bin/callgrind_report"], 0o755)
        self.assertEqual(modes["bin/callgrind_export"], 0o755)
        self.assertEqual(modes["share/man/man1/callgrind_report.1"], 0o644)
        self.assertEqual(modes[f"libexec/valgrind/callgrind-{PLATFORM}"], 0o755)
        self.assertEqual(modes["libexec/callgrind-exact/read_profile"], 0o755)
        self.assertEqual(modes["include/valgrind/callgrind.h"], 0o644)

    def test_nothing_outside_the_prefix_and_no_trace_of_destdir(self) -> None:
        self.install("prefix=/opt/exact")
        self.assertEqual(set(self.stage.iterdir()), {self.stage / "opt"})
        launcher = self.stage / "opt" / "exact" / "bin" / "valgrind"
        self.assertNotIn(os.fsencode(self.stage), launcher.read_bytes())

    def test_the_report_runs_wherever_it_is_moved(self) -> None:
        self.install("prefix=/p")
        moved = self.folder / "mo'ved here"
        (self.stage / "p").rename(moved)
        link = self.folder / "link"
        link.symlink_to(moved / "bin" / "callgrind_report")
        profile = SOURCE / "callgrind/report/tests/data/tiny_default.out"
        here = run(BUILD / "callgrind_report", profile)
        self.assert_ended(here, 0)
        self.assertIn("Total:   279", here.out)
        command = moved / "bin" / "callgrind_report"
        views: tuple[list[str], ...] = (["-f", "odd"], ["-a"], ["--json"], ["--csv"])
        for view in views:
            self.assert_ended(run(command, *view, profile), 0)
        self.assert_ended(run(command, "--diff", profile, profile), 0)
        for command in (command, link):
            ended = run(command, profile)
            self.assert_ended(ended, 0)
            self.assertEqual(ended.out, here.out)

    def test_a_large_profile_is_read_by_what_lies_beside_the_report(self) -> None:
        self.install("prefix=/p")
        moved = self.folder / "mo'ved here"
        (self.stage / "p").rename(moved)
        profile = self.folder / "large"
        with open(profile, "w", encoding="ascii") as stream:
            write_profile(stream, 600_000, KINDS["browser"], 1)
        here = run(BUILD / "callgrind_report", profile)
        self.assert_ended(here, 0)
        reader = moved / "libexec" / "callgrind-exact" / "read_profile"
        reader.rename(reader.with_name("real"))
        told = self.folder / "told"
        reader.write_text(f'#!/bin/sh\necho $1 >> {told}\nexec "${{0%/*}}/real" $1\n')
        reader.chmod(0o755)
        ended = run(moved / "bin" / "callgrind_report", profile)
        self.assert_ended(ended, 0)
        self.assertEqual((ended.out, told.read_text()), (here.out, "functions\n"))
        reader.unlink()
        self.assertEqual(run(moved / "bin" / "callgrind_report", profile).out, here.out)

    def test_the_gate_runs_what_lies_beside_it(self) -> None:
        self.install("prefix=/p")
        moved = self.folder / "moved"
        (self.stage / "p").rename(moved)
        link = self.folder / "link"
        link.symlink_to(moved / "bin" / "callgrind_gate")
        ended = run(link, "run", "true=true", cwd=self.folder, PATH="/usr/bin:/bin")
        self.assert_ended(ended, 0)
        index = next((self.folder / "gate-run" / "runs").iterdir()).read_text()
        self.assertIn('"creator": "callgrind-exact', index)

    def test_the_export_runs_wherever_it_is_moved(self) -> None:
        self.install("prefix=/p")
        moved = self.folder / "mo'ved here"
        (self.stage / "p").rename(moved)
        link = self.folder / "link"
        link.symlink_to(BUILD / "callgrind_export")
        page = (SOURCE / "docs/tree-format.md").read_text("utf-8")
        tree = self.folder / "example.tree"
        tree.write_text(page.split("```\n")[1])
        for form in ("folded", "speedscope", "firefox", "html"):
            here = run(BUILD / "callgrind_export", "--to", form, tree)
            self.assert_ended(here, 0)
            self.assertIn("skip_blanks", here.out)
            for command in (moved / "bin" / "callgrind_export", link):
                self.assertEqual(run(command, "--to", form, tree).out, here.out)

    def test_each_folder_can_be_chosen(self) -> None:
        self.install("prefix=/p", "bindir=/b/in", "libexecdir=/l e", "includedir=/i")
        launcher = self.stage / "b" / "in" / "valgrind"
        ended = run(launcher, "-q", "--tool=none", "sh", "-c", 'echo "$VALGRIND_LIB"')
        self.assert_ended(ended, 0)
        library = self.stage / "l e" / "valgrind"
        self.assertTrue(Path(ended.out.strip()).samefile(library), ended.out)
        self.assertTrue((self.stage / "i" / "valgrind" / "callgrind.h").is_file())

    def test_again_over_itself_drops_links_to_what_is_gone(self) -> None:
        self.install("prefix=/p")
        stale = self.stage / "p" / "libexec" / "valgrind" / "gone-tool"
        stale.symlink_to(STOCK_TOOLS / "gone-tool")
        before = files_below(self.stage) - {"p/libexec/valgrind/gone-tool"}
        self.install("prefix=/p")
        self.assertEqual(files_below(self.stage), before)

    def test_uninstall_leaves_nothing_but_strangers(self) -> None:
        self.install("prefix=/p")
        stranger = self.stage / "p" / "bin" / "stranger"
        stranger.write_text("not ours")
        self.assert_ended(make("uninstall", f"DESTDIR={self.stage}", "prefix=/p"), 0)
        self.assertEqual(files_below(self.stage), {"p/bin/stranger"})

    def test_installed_header_compiles_in_c_and_cpp(self) -> None:
        self.install("prefix=/p")
        source = self.folder / "program.c"
        source.write_text(
            "#include <valgrind/callgrind.h>\n"
            "int main(void) { CALLGRIND_DUMP_STATS; return 0; }\n"
        )
        for language in ("c", "c++"):
            ended = run(
                "gcc", "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                f"-I{self.stage}/p/include", source,
            )
            self.assert_ended(ended, 0)

    def test_refuses_the_distributions_folders(self) -> None:
        ended = make("install", f"DESTDIR={self.stage}", f"prefix={STOCK_BIN.parent}")
        self.assertNotEqual(ended.status, 0)
        self.assertIn("another Valgrind is installed in", ended.err)
        self.assertEqual(files_below(self.stage) if self.stage.exists() else set(), set())

    def test_refuses_to_overwrite_a_valgrind_built_by_hand(self) -> None:
        tools = self.stage / "p" / "libexec" / "valgrind"
        tools.mkdir(parents=True)
        (tools / f"none-{PLATFORM}").write_text("somebody's")
        (tools / f"callgrind-{PLATFORM}").write_text("somebody's")
        ended = make("install", f"DESTDIR={self.stage}", "prefix=/p")
        self.assertNotEqual(ended.status, 0)
        self.assertIn("choose another --prefix", ended.err)
        self.assertEqual((tools / f"callgrind-{PLATFORM}").read_text(), "somebody's")


class Sources(unittest.TestCase):
    def test_every_source_is_in_the_makefile(self) -> None:
        listed = re.findall(r"\b(?:callgrind|coregrind|reader)/\S+\.[ch]\b",
                            (SOURCE / "Makefile.am").read_text())
        present = [
            str(path.relative_to(SOURCE))
            for tree in ("callgrind", "reader")
            for path in files_of_ours(SOURCE / tree)
            if path.suffix in (".c", ".h")
            and "tests" not in path.relative_to(SOURCE).parts
        ]
        self.assertEqual(sorted(set(present) - set(listed)), [], "not in Makefile.am")

    def test_nothing_is_left_to_make(self) -> None:
        self.assertTrue(IN_PLACE.exists())
        ended = make("-s", "V=0")
        self.assertEqual((ended.status, ended.out), (0, ""))


class Release(BuildTest):
    """What `make dist` packs."""

    def test_sources_and_what_makes_configure_and_nothing_else(self) -> None:
        built = [path for path in (BUILD / "callgrind/tests/programs").iterdir()
                 if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertTrue(built, "no programs of tests that could be packed")
        release = self.folder / "release"
        self.assert_ended(make("-s", "distdir", f"distdir={release}"), 0)
        packed = files_below(release)
        self.assertEqual({path.name for path in built} & packed, set())
        ours = set(our_names())
        self.assertEqual(sorted(ours - packed), [], "not packed")
        self.assertEqual(sorted(packed - ours - GENERATED), [], "packed, but no source")
        self.assertLess({"configure", "Makefile.in", "check"}, packed)

    def test_not_where_programs_lie_among_the_sources(self) -> None:
        release = self.folder / "release"
        (self.folder / "Makefile").symlink_to(BUILD / "Makefile")
        ended = run("make", "-s", "-o", "Makefile", "-C", self.folder, "dist-hook",
                    "srcdir=.", f"distdir={release}")
        self.assertNotEqual(ended.status, 0)
        self.assertIn("make dist: built files lie among the sources", ended.err)
        self.assertFalse(release.exists())
