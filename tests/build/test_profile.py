# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command `profile` behind its set-up: the program's world is its own, and what was
# written is named.  (Set-up itself is tested in test_setup.py.)

"""Running and reporting."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import signal
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

from tests.build.built import BUILD, IN_PLACE, SOURCE, BuildTest, Ended, Word, run

PROFILE_RUN = SOURCE / "coregrind" / "profile_run.py"

# Waits for as many signals as its argument says, telling of each one; and then for more
# that come too often.
COUNT_SIGNALS = """
import signal, sys, time
caught = []
def catch(number, _):
    caught.append(number)
    print("caught", flush=True)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"):
    signal.signal(getattr(signal, name), catch)
print("ready", flush=True)
while len(caught) < int(sys.argv[1]):
    time.sleep(0.05)
time.sleep(0.5)
print(*caught, flush=True)
sys.exit(len(caught))
"""

STEADY_LINE = (
    "profile: the program sees 1 Jan 2026, one processor, fixed random numbers; "
    "off: --steady=no\n"
)

# Says its words, the program's first; then writes a tree for each number among these,
# with a profile and a timeline of the same run.
FAKE_LAUNCHER = """#!/bin/sh
options=
while [ "$1" != program ] && [ "$1" != -- ]; do
   options="$options$1
"
   shift
done
echo "$@"
printf %s "$options"
for word; do
   case $word in
      [0-9]*)
         printf '%s\n' "$TREE" > "$FOLDER/callgrind.tree.$word"
         printf '%s\n' "$PROFILE" > "$FOLDER/callgrind.out.$word"
         printf '%s\n' "$TIMELINE" > "$FOLDER/callgrind.timeline.$word" ;;
      broken-timeline) echo "$TIMELINE" | head -c 99 > "$FOLDER/broken" ;;
      broken) echo "$TREE" | head -c 99 > "$FOLDER/callgrind.tree.9" ;;
   esac
done
exit 5
"""


def example(document: str) -> str:
    """The file that a page in docs/ shows."""
    return (SOURCE / "docs" / document).read_text("utf-8").split("```\n")[1].strip()


# Of the same events as the example of a tree.
PROFILE_TEXT = """# callgrind format
version: 1
events: Ir sysTime

fl=%s
fn=main
7 1120 6000
"""


def source_lines(page: Path) -> Any:
    """What the page has of source lines."""
    pieces = re.findall(r'<script data-block="source" [^>]*>([^<]*)<', page.read_text())
    return json.loads(zlib.decompress(base64.b64decode("".join(pieces))))


class ProfileTest(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.work = self.folder / "work 100%"
        self.work.mkdir()

    def profile(self, *words: Word, stdin: str = "", **environment: Any) -> Ended:
        return run(sys.executable, PROFILE_RUN, IN_PLACE, *words,
                   stdin=stdin, cwd=self.work, **environment)

    def written(self) -> list[str]:
        return sorted(path.name for path in self.work.iterdir())


class Profile(ProfileTest):
    def test_status_and_streams_are_the_programs(self) -> None:
        ended = self.profile("-q", "sh", "-c", "cat; exit 3", stdin="input")
        self.assert_ended(ended, 3)
        self.assertEqual(ended.out, "input")

    def test_a_fatal_signal_is_the_programs(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            ended = self.profile("-q", "sh", "-c", f"kill -{number} $$")
            self.assertEqual(ended.status, -number)

    def test_names_the_file_and_prints_the_table(self) -> None:
        ended = self.profile("-q", sys.executable, "-c", "print('out')")
        self.assert_ended(ended, 0)
        self.assertEqual(ended.out, "out\n")
        (name,) = self.written()
        self.assertRegex(name, r"^callgrind\.out\.[0-9]+$")
        self.assertIn(f"profile: wrote {name}\n", ended.err)
        table = run(sys.executable, SOURCE / "callgrind/report/callgrind_report.py", name,
                    cwd=self.work)
        self.assert_ended(table, 0)
        self.assertIn(table.out, ended.err)

    def test_a_name_of_the_users(self) -> None:
        option = "--callgrind-out-file=out-%q{WORD}-%p-100%%"
        ended = self.profile("-q", option, "true", WORD="a[b]")
        self.assert_ended(ended, 0)
        (name,) = self.written()
        self.assertRegex(name, r"^out-a\[b\]-[0-9]+-100%$")
        self.assertIn(f"profile: wrote {name}\n", ended.err)

    def test_a_name_from_valgrinds_own_settings(self) -> None:
        for form in ("--callgrind-out-file=", "--callgrind:callgrind-out-file="):
            ended = self.profile("-q", "true", VALGRIND_OPTS=f"{form}mine")
            self.assertIn("profile: wrote mine\n", ended.err)
        self.assertEqual(self.written(), ["mine"])
        (self.home / ".valgrindrc").write_text("--callgrind-out-file=from-home\n")
        self.assertIn("profile: wrote from-home\n", self.profile("-q", "true").err)

    def test_an_older_file_is_not_named(self) -> None:
        (self.work / "callgrind.out.1").write_text("old")
        ended = self.profile("-q", "true")
        self.assertEqual(ended.err.count("profile: wrote"), 1)
        self.assertNotIn("callgrind.out.1\n", ended.err)

    def test_every_child_is_named_wherever_it_ran(self) -> None:
        ended = self.profile("-q", "--trace-children=yes",
                             "sh", "-c", "cd / && sh -c true; sh -c true; :")
        self.assert_ended(ended, 0)
        files = self.written()
        self.assertGreaterEqual(len(files), 3)
        for name in files:
            self.assertIn(f"profile: wrote {name}\n", ended.err)

    def test_of_many_files_the_first_are_named(self) -> None:
        script = "for i in 1 2 3 4 5 6 7 8 9 10 11; do (:); done"
        ended = self.profile("-q", "sh", "-c", script)
        self.assert_ended(ended, 0)
        self.assertEqual(len(self.written()), 12)
        self.assertEqual(ended.err.count("profile: wrote"), 10)
        self.assertIn("profile: and 2 more\n", ended.err)

    def test_no_profile_is_said(self) -> None:
        ended = self.profile("-q", "./absent")
        bare = run(IN_PLACE, "-q", "--tool=callgrind", "./absent", cwd=self.work)
        self.assertEqual(ended.status, bare.status)
        line = "profile: no profile was written under the name callgrind.out.%p\n"
        self.assertEqual(ended.err, STEADY_LINE + bare.err + line)

    def test_another_tool_is_refused(self) -> None:
        ended = self.profile("--tool=memcheck", "true")
        self.assertEqual(ended.status, 2)
        self.assertIn("--tool=memcheck: only callgrind makes profiles", ended.err)
        self.assertEqual(self.written(), [])

    def test_the_programs_options_are_its_own(self) -> None:
        words = ("--tool=none", "--callgrind-out-file=x")
        separators: tuple[list[str], ...] = ([], ["--"])
        for separator in separators:
            ended = self.profile("-q", *separator, "sh", "-c", 'echo "$@"', "sh", *words)
            self.assert_ended(ended, 0)
            self.assertEqual(ended.out, " ".join(words) + "\n")

    # --- The page --------------------------------------------------------------------

    def page_run(self, *words: Word) -> Ended:
        """With a launcher that writes what a page is made of, for each number it is
        given."""
        self.source = self.folder / "demo.c"
        self.source.write_text("\n" * 6 + "the_seventh_line();\n")
        beside = self.folder / "beside"
        beside.mkdir(exist_ok=True)
        launcher, export = beside / "vg-in-place", beside / "callgrind_export"
        launcher.write_text(FAKE_LAUNCHER)
        launcher.chmod(0o755)
        if not export.is_symlink():
            export.symlink_to(BUILD / "callgrind_export")
        return run(sys.executable, PROFILE_RUN, launcher, *words, cwd=self.work,
                   TREE=example("tree-format.md"), TIMELINE=example("timeline.md"),
                   PROFILE=PROFILE_TEXT % self.source, FOLDER=str(self.work))

    def test_a_page_of_all_trees_is_the_last_that_is_said(self) -> None:
        # What steady surroundings need depends on the host.
        ended = self.page_run(
            "--html", "--steady=no", "-q", "--", "program", "--html", "7", "8"
        )
        self.assert_ended(ended, 5)
        self.assertEqual(ended.out.splitlines()[0], "-- program --html 7 8")
        folder = str(self.work).replace("%", "%%")
        self.assertEqual(ended.out.splitlines()[1:], [
            "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out.%p",
            "--translation-cache=yes",
            "--call-tree=yes", f"--call-tree-out-file={folder}/callgrind.tree.%p",
            "--tail-calls=flat",
            "--timeline=yes", f"--timeline-out-file={folder}/callgrind.timeline.%p",
            "--steady=no", "-q",
        ])
        self.assertTrue(ended.err.endswith("\nprofile: wrote callgrind.tree.7.html\n"))
        page = (self.work / "callgrind.tree.7.html").read_text()
        self.assertEqual(page.count('"nodes":5}'), 2)

    def test_a_page_has_source_lines_and_a_timeline(self) -> None:
        self.assert_ended(self.page_run("--html", "program", "7"), 5)
        page = self.work / "callgrind.tree.7.html"
        (found,) = source_lines(page)["files"]
        self.assertEqual(found[:2], [str(self.source), None])  # no text of it
        self.assertIn('"timeline":{"limit":50,', page.read_text())

    def test_a_page_has_the_sources_if_asked_for(self) -> None:
        self.assert_ended(self.page_run("--source", "--html", "program", "7"), 5)
        (found,) = source_lines(self.work / "callgrind.tree.7.html")["files"]
        self.assertEqual(found[1][6], "the_seventh_line();")
        ended = self.page_run("--source", "program", "8")
        self.assertEqual((ended.status, ended.out), (2, ""))
        self.assertIn("--source goes together with --html", ended.err)

    def test_a_page_has_no_timeline_that_the_user_does_not_want(self) -> None:
        ended = self.page_run("--html", "--timeline=no", "program", "7")
        self.assertNotIn("--timeline=yes", ended.out)
        page = (self.work / "callgrind.tree.7.html").read_text()
        self.assertIn('"timeline":null', page)

    def test_a_page_is_made_without_what_is_damaged_beside_the_tree(self) -> None:
        (self.folder / "beside").mkdir()
        ended = self.page_run("--html", "--timeline-out-file=broken", "program", "7",
                              "broken-timeline")
        self.assert_ended(ended, 5)
        self.assertIn("broken:", ended.err)
        self.assertTrue(ended.err.endswith("\nprofile: wrote callgrind.tree.7.html\n"))

    def test_tail_calls_are_flat_unless_the_user_says_more(self) -> None:
        flat = "--tail-calls=flat"
        self.assertIn(flat, self.page_run("--html", "program").out)
        ended = self.page_run("--html", "--tail-calls=nested", "program")
        self.assertNotIn(flat, ended.out)
        (self.work / ".valgrindrc").write_text("--callgrind:tail-calls=nested\n")
        self.assertNotIn(flat, self.page_run("--html", "program").out)

    def test_without_trees_there_is_no_page(self) -> None:
        ended = self.page_run("--html", "program")
        self.assert_ended(ended, 5)
        self.assertIn("profile: no tree was written under the name callgrind.tree.%p\n",
                      ended.err)

    def test_a_page_that_cannot_be_made_changes_nothing_else(self) -> None:
        ended = self.page_run("--html", "program", "7", "broken")
        self.assert_ended(ended, 5)
        self.assertIn("callgrind_export: ", ended.err)
        self.assertEqual(list(self.work.glob("*.html")), [])

    # --- Signals ---------------------------------------------------------------------

    def counting_program(self, signals: int) -> list[str]:
        return [sys.executable, str(PROFILE_RUN), str(IN_PLACE), "-q",
                sys.executable, "-c", COUNT_SIGNALS, str(signals)]

    def test_a_signal_sent_to_it_reaches_the_program_once(self) -> None:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        with subprocess.Popen(
            self.counting_program(len(numbers)), stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, cwd=self.work, start_new_session=True,
        ) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "ready\n")
            for number in numbers:
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), "caught\n")
            caught = " ".join(str(int(number)) for number in numbers)
            self.assertEqual(process.stdout.read(), f"{caught}\n")
            self.assertEqual(process.wait(), len(numbers))

    def test_control_c_reaches_the_program_once(self) -> None:
        """The terminal sends it to both; `profile` must not send it on."""
        command = self.counting_program(1)
        child, terminal = pty.fork()
        if child == 0:
            try:
                os.chdir(self.work)
                os.execv(command[0], command)
            finally:
                os._exit(99)
        said = b""
        while b"ready" not in said:
            said += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        try:
            while True:
                chunk = os.read(terminal, 1000)
                if not chunk:
                    break
                said += chunk
        except OSError:
            pass  # how a terminal says that nobody holds it any more
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 1, said)
        # The terminal may show the key itself in front.
        self.assertRegex(said.decode(), rf"(?:\n|\^C){int(signal.SIGINT)}\r\n")


class Steady(ProfileTest):
    """That the program sees another machine than the real one is said."""

    def test_is_said_with_how_to_switch_it_off(self) -> None:
        ended = self.profile("-q", "date", "+%Y-%m-%d")
        self.assertEqual(ended.out, "2026-01-01\n")
        self.assertTrue(ended.err.startswith(STEADY_LINE), ended.err)

    def test_is_not_said_where_the_user_has_chosen(self) -> None:
        for value in ("yes", "no"):
            self.assertNotIn("1 Jan", self.profile(f"--steady={value}", "true").err)
        self.assertNotIn("1 Jan",
                         self.profile("true", VALGRIND_OPTS="--steady=no").err)


class NearMisses(ProfileTest):
    def test_a_misspelt_option_is_told_with_what_was_meant(self) -> None:
        for option, meant in (("--htm", "--html"), ("-html", "--html"),
                              ("--by-clok", "--by-clock"),
                              ("--cach-sim=yes", "--cache-sim"),
                              ("--trace-childern=yes", "--trace-children")):
            ended = self.profile(option, "true")
            self.assertEqual(ended.status, 1, option)
            name = option.partition("=")[0]
            self.assertTrue(ended.err.endswith(
                f"profile: {name}: there is no such option; did you mean {meant}?\n"
            ), ended.err)

    def test_nothing_is_suggested_where_options_are_right(self) -> None:
        for words in (["./absent"], ["--zzz", "true"], ["--cache-sim=maybe", "true"]):
            self.assertNotIn("did you mean", self.profile(*words).err)


class Usage(BuildTest):
    def test_without_arguments(self) -> None:
        ended = run(SOURCE / "profile", cwd=self.folder)
        self.assertEqual((ended.status, ended.out), (2, ""))
        self.assertIn("usage: ./profile", ended.err)

    def test_by_clock_may_stand_anywhere_in_front_of_the_program(self) -> None:
        """What runs in the end: the set-up is left out, and what it leads to printed."""
        clone = self.folder / "clone"
        (clone / "coregrind").mkdir(parents=True)
        (clone / "profile").write_bytes((SOURCE / "profile").read_bytes())
        (clone / "coregrind/setup.sh").write_text(
            'setup() { :; }\nexec() { shift; echo "${1##*/} ${*:3}"; exit; }\n')
        for words, wanted in (
            (["--by-clock", "--html", "ls"], "sample_run.py --html ls"),
            (["--html", "--by-clock", "ls"], "sample_run.py --html ls"),
            (["--html", "-o", "--by-clock", "ls"], "profile_run.py --html -o --by-clock "
             "ls"),
            (["-o", "x", "--by-clock", "ls", "-l"], "sample_run.py -o x ls -l"),
            (["--html", "ls", "--by-clock"], "profile_run.py --html ls --by-clock"),
            (["--html", "--", "--by-clock"], "profile_run.py --html -- --by-clock"),
            (["--by-clock"], "sample_run.py "),
        ):
            ended = run("bash", clone / "profile", *words, cwd=self.folder)
            self.assertEqual((ended.out, ended.err), (wanted + "\n", ""), words)

    def test_both_halves_know_which_options_have_a_word_as_value(self) -> None:
        text = (SOURCE / "profile").read_text("utf-8").replace("\\\n", " ")
        (line,) = re.findall(r"^ *(-o\|.*)\)$", text, re.MULTILINE)
        sys.path.insert(0, str(SOURCE / "coregrind"))
        self.addCleanup(sys.path.remove, str(SOURCE / "coregrind"))
        from sample_run import WITH_VALUE

        self.assertEqual(set(line.replace(" ", "").split("|")), WITH_VALUE)

    def test_help_says_what_the_program_sees(self) -> None:
        text = run(SOURCE / "profile", "--help", cwd=self.folder).out
        for words in ("1 January 2026", "one processor", "--steady=no", "--by-clock",
                      "--source"):
            self.assertIn(words, text)

    def test_help(self) -> None:
        ended = run(SOURCE / "profile", "--help", cwd=self.folder)
        self.assertEqual((ended.status, ended.err), (0, ""))
        self.assertIn("usage: ./profile", ended.out)
