# SPDX-License-Identifier: GPL-2.0-or-later
#
# action.yml: its steps, run as GitHub would run them for a push to the main branch, for a
# pull request, and for one from a fork; and the comment, at a server on this machine.

"""The action for GitHub."""

from __future__ import annotations

import http.server
import json
import re
import subprocess
from pathlib import Path
from typing import Any, ContextManager

import pytest

from tests.build.action_steps import Job, put_in, read_action
from tests.build.built import BuildTest, run
from tests.build.bundle import VERSION, archive
from tests.build.local_server import serving

# One process makes the bundle.
pytestmark = pytest.mark.xdist_group("bundle")

PROGRAM = """
__attribute__((noinline)) static int work(int n)
{
   volatile int sum = 0;
   for (int i = 0; i < n; i++)
      sum += i;
   return sum;
}
int main(void) { work(WORK); return 0; }
"""
MARKER = "<!-- callgrind-exact: gate -->"


class GitHub:
    """As much of GitHub's API as the comment needs."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.may_write = True
        self.seen: list[str] = []

    def answer(self, method: str, path: str, body: Any, token: str) -> tuple[int, Any]:
        self.seen.append(f"{method} {path}")
        if token != "Bearer secret":
            return 401, {}
        if method == "GET":
            match = re.fullmatch(
                r"/repos/owner/project/issues/7/comments\?per_page=(\d+)&page=(\d+)",
                path)
            assert match is not None, path
            size, page = map(int, match.groups())
            return 200, self.comments[size * (page - 1):size * page]
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST" and path == "/repos/owner/project/issues/7/comments":
            self.comments.append({"id": len(self.comments), "body": body["body"]})
            return 201, self.comments[-1]
        number = int(path.rpartition("/repos/owner/project/issues/comments/")[2])
        assert method == "PATCH"
        self.comments[number]["body"] = body["body"]
        return 200, self.comments[number]


def api_of(github: GitHub) -> ContextManager[str]:
    """The URL of a server that answers as it does."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            token = self.headers.get("Authorization", "")
            status, answer = github.answer(self.command, self.path, body, token)
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do

        def log_message(self, format: str, *args: object) -> None:
            pass

    return serving(Handler)


class Text(BuildTest):
    def test_nothing_is_put_into_a_script(self) -> None:
        """What somebody writes in a branch's name or an option must not become shell."""
        for step in read_action().steps:
            self.assertNotIn("${{", step.run, step.name)

    def test_each_shell_step_stops_at_an_error(self) -> None:
        for step in read_action().steps:
            if "uses" not in step.fields:
                self.assertEqual(step.fields["shell"], "bash", step.name)
                if step.run.count("\n") > 1:
                    self.assertRegex(step.run, r"\Aset -euf?\n", step.name)

    def test_each_input_is_used_and_each_used_one_exists(self) -> None:
        action = read_action()
        text = "".join(f"{step.env} {step.uses} {step.fields}" for step in action.steps)
        self.assertEqual(set(re.findall(r"inputs\.([\w-]+)", text)), set(action.defaults))

    def test_shellcheck_finds_nothing(self) -> None:
        for step in read_action().steps:
            if step.run:
                ended = run("shellcheck", "-s", "bash", "-", stdin=step.run)
                self.assertEqual(ended.out, "", step.name)


class Running(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.project = self.folder / "a project"
        self.project.mkdir()
        (self.project / "gate.json").write_text(json.dumps({
            "gate": {"limits": ["Ir:1%"]},
            "benchmarks": {"work": {"command": "./bench"}}}))
        self.git("init", "-q", "-b", "main")
        self.commit(20000)
        self.github = GitHub()

    def git(self, *words: str) -> None:
        command = ("git", "-c", "user.name=n", "-c", "user.email=e", *words)
        self.assert_ended(run(*command, cwd=self.project), 0)

    def commit(self, work: int) -> None:
        (self.project / "bench.c").write_text(PROGRAM)
        subprocess.run(["gcc", "-g", "-O1", f"-DWORK={work}", "-o", "bench", "bench.c"],
                       cwd=self.project, check=True)
        self.git("add", "bench.c", "gate.json")
        self.git("commit", "-q", "--allow-empty", "-m", f"work {work}")

    def job(self, **github: str) -> Job:
        return Job(self.folder, self.project, **github)

    def pushed(self) -> Job:
        return self.job(event_name="push", ref_name="main")

    def run_job(self, job: Job, **given: str) -> Any:
        with api_of(self.github) as url:
            job.variables["GITHUB_API_URL"] = url
            return job.run(config="gate.json", **{"from": str(archive().parent)},
                           version=VERSION, **given)

    def test_a_push_adds_to_the_baseline(self) -> None:
        job = self.pushed()
        self.assert_ended(self.run_job(job, comment="true"), 0)
        self.assertEqual(job.told[-2:], ["Accept", "Keep the baseline and translations"])
        self.assertNotIn("Comment", job.told)
        self.assertEqual(job.known["steps.judge.outputs.status"], "0")
        baseline = job.temporary / "callgrind-exact/baseline"
        self.assertTrue(list(baseline.iterdir()))
        self.assertTrue(list((job.temporary / "callgrind-exact/translations").iterdir()))
        fetched, kept = job.used
        self.assertEqual(fetched.uses["path"], kept.uses["path"])
        self.assertEqual(fetched.uses["key"], kept.uses["key"])
        self.assertTrue(kept.uses["key"].startswith(fetched.uses["restore-keys"]))
        self.assertIn(str(baseline), kept.uses["path"].splitlines())

    def test_a_pull_request_that_is_worse(self) -> None:
        self.assert_ended(self.run_job(self.pushed()), 0)
        self.commit(40000)
        job = self.job()
        ended = self.run_job(job, comment="true")
        self.assert_ended(ended, 1)
        self.assertEqual(job.told[-1], "Verdict")
        self.assertIn("::error title=work is slower::", ended.out)
        self.assertIn("1 worse", job.summary.read_text())
        (comment,) = self.github.comments
        self.assertTrue(comment["body"].startswith(f"{MARKER}\n"))
        self.assertIn("1 worse", comment["body"])
        # Mended: the comment is edited.
        self.commit(20000)
        self.assert_ended(self.run_job(self.job(), comment="true"), 0)
        (comment,) = self.github.comments
        self.assertNotIn("1 worse", comment["body"])
        self.assertIn("1 same", comment["body"])

    def test_a_pull_request_of_a_fork(self) -> None:
        """Its token may only read: summary and annotations are there, and no failure."""
        self.assert_ended(self.run_job(self.pushed()), 0)
        self.github.may_write = False
        job = self.job()
        ended = self.run_job(job, comment="true")
        self.assert_ended(ended, 0)
        self.assertIn("::notice title=No comment::", ended.out)
        self.assertIn("1 same", job.summary.read_text())

    def test_without_a_wish_nothing_is_asked_of_github(self) -> None:
        self.assert_ended(self.run_job(self.job()), 0)
        self.assertEqual(self.github.seen, [])

    def test_a_benchmark_that_does_not_run_fails_the_job(self) -> None:
        (self.project / "bench").unlink()
        job = self.job()
        self.assertNotEqual(self.run_job(job).status, 0)
        self.assertEqual(job.told[-1], "Measure")

    def test_a_push_that_is_worse_is_kept_and_does_not_fail(self) -> None:
        self.assert_ended(self.run_job(self.pushed()), 0)
        self.commit(40000)
        job = self.pushed()
        ended = self.run_job(job)
        self.assert_ended(ended, 0)
        self.assertNotIn("::error", ended.out)
        self.assertEqual(job.known["steps.judge.outputs.status"], "1")

    def test_options_are_words_and_no_patterns(self) -> None:
        job = self.job()
        ended = self.run_job(job, run_options="--option=--toggle-collect=w* --jobs=1")
        self.assert_ended(ended, 0)

    def test_a_bundle_that_is_not_there(self) -> None:
        job = self.job()
        ended = job.run(config="gate.json", **{"from": str(self.folder)}, version="9.9")
        self.assert_ended(ended, 1)
        self.assertEqual(job.told, ["Install callgrind-exact"])
        self.assertIn("cannot fetch", ended.err)

    def test_the_first_of_all_has_nothing_to_compare_with(self) -> None:
        job = self.job()
        self.assert_ended(self.run_job(job, comment="true"), 0)
        self.assertIn("Nothing was compared", job.summary.read_text())
        self.assertIn("Nothing was compared", self.github.comments[0]["body"])

    def test_outputs_are_those_of_a_step(self) -> None:
        self.assert_ended(self.run_job(self.pushed()), 0)
        job = self.job()
        self.assert_ended(self.run_job(job), 0)
        outputs = {name: put_in(value, job.known)
                   for name, value in read_action().outputs.items()}
        self.assertEqual(outputs["status"], "0")
        self.assertIn("1 same", Path(outputs["markdown"]).read_text())


class Comments(BuildTest):
    """Many comments, long tables, keys."""

    def write(self, github: GitHub, text: str, *words: str) -> Any:
        markdown = self.folder / "gate.md"
        markdown.write_text(text)
        script = Path(__file__).resolve().parents[2] / "action/pull_request_comment.py"
        with api_of(github) as url:
            return run("python3", script, "--number", "7", *words, markdown,
                       GITHUB_API_URL=url, GITHUB_REPOSITORY="owner/project",
                       GITHUB_TOKEN="secret")

    def test_ours_is_found_behind_many_others(self) -> None:
        github = GitHub()
        github.comments = [{"id": n, "body": f"quotes {MARKER}"} for n in range(250)]
        self.assert_ended(self.write(github, "one"), 0)
        self.assert_ended(self.write(github, "two"), 0)
        self.assertEqual(len(github.comments), 251)
        self.assertEqual(github.comments[250]["body"], f"{MARKER}\ntwo")

    def test_each_key_has_its_own(self) -> None:
        github = GitHub()
        for key in ("gate", "slow --> <b>", "gate"):
            self.assert_ended(self.write(github, key, "--key", key), 0)
        self.assertEqual(len(github.comments), 2)
        for comment in github.comments:
            self.assertRegex(comment["body"], r"\A<!-- callgrind-exact: [\w.-]+ -->\n")

    def test_a_long_table_is_cut_at_a_line(self) -> None:
        github = GitHub()
        self.assert_ended(self.write(github, "a line\n" * 20000), 0)
        body = github.comments[0]["body"]
        self.assertLess(len(body), 65536)
        self.assertIn("a line\n\n(the rest is in the job's summary)", body)

    def test_a_server_that_fails_is_an_error_in_a_line(self) -> None:
        ended = run("python3", Path(__file__).resolve().parents[2]
                    / "action/pull_request_comment.py", "--number", "7", __file__,
                    GITHUB_API_URL="http://127.0.0.1:1", GITHUB_TOKEN="secret",
                    GITHUB_REPOSITORY="owner/project")
        self.assert_ended(ended, 2)
        self.assertRegex(ended.err, r"\Apull_request_comment.py: [^\n]*\n\Z")
