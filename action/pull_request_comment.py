#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes a Markdown file as a comment of a pull request, for action.yml.  Owns: which
# comment is ours, by a line that no reader sees; it is edited in place, so that there is
# one for each key.  Relies on the variables that GitHub sets for a job.
#
# A job for a fork's pull request may only read.  Then there is a notice, and no failure:
# the summary and the annotations are there all the same.

"""Write a table as the one comment of a pull request."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Optional, Sequence

PER_PAGE = 100
# GitHub takes 65,536 characters.
MOST_CHARACTERS = 65_000
REFUSED = (401, 403, 404)


class Failed(Exception):
    """What GitHub does not do; the text says what."""


class NotAllowed(Failed):
    """The token may not write."""


class GitHub:
    """The comments of one pull request."""

    def __init__(self, number: int) -> None:
        self.api = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
        self.repository = needed("GITHUB_REPOSITORY")
        self.token = needed("GITHUB_TOKEN")
        self.number = number

    def ask(self, method: str, path: str, body: Optional[str] = None) -> Any:
        request = urllib.request.Request(
            f"{self.api}/repos/{self.repository}/issues/{path}",
            data=None if body is None else json.dumps({"body": body}).encode(),
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "callgrind-exact",
            },
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            kind = NotAllowed if error.code in REFUSED else Failed
            raise kind(f"{method} {path}: {error.code} {error.reason}") from None
        except (OSError, ValueError) as error:
            raise Failed(f"{method} {path}: {error}") from None

    def find(self, marker: str) -> Optional[int]:
        """The number of our comment; None if there is none yet."""
        page = 1
        while True:
            path = f"{self.number}/comments?per_page={PER_PAGE}&page={page}"
            comments = self.ask("GET", path)
            for comment in comments:
                if (comment.get("body") or "").startswith(marker):
                    return int(comment["id"])
            if len(comments) < PER_PAGE:
                return None
            page += 1

    def write(self, marker: str, text: str) -> str:
        found = self.find(marker)
        body = f"{marker}\n{text}"
        if found is None:
            self.ask("POST", f"{self.number}/comments", body)
            return "wrote a comment"
        self.ask("PATCH", f"comments/{found}", body)
        return f"edited comment {found}"


def needed(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise Failed(f"{name} is not set")
    return value


def shortened(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    lines = text[:MOST_CHARACTERS].splitlines()[:-1]
    return "\n".join([*lines, "", "(the rest is in the job's summary)", ""])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="pull_request_comment.py", description=__doc__)
    parser.add_argument("--number", type=int, required=True, help="the pull request")
    parser.add_argument("--key", default="gate", help="which of several comments")
    parser.add_argument("file", type=Path, help="the Markdown")
    options = parser.parse_args(words)
    key = re.sub(r"[^A-Za-z0-9_.-]", "-", options.key).replace("--", "-")
    try:
        text = options.file.read_text(encoding="utf-8")
        done = GitHub(options.number).write(f"<!-- callgrind-exact: {key} -->",
                                            shortened(text))
    except NotAllowed as error:
        print(f"::notice title=No comment::this job may not write one ({error}); the"
              " table is in its summary")
        return 0
    except (Failed, OSError) as error:
        print(f"pull_request_comment.py: {error}", file=sys.stderr)
        return 2
    print(done)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
