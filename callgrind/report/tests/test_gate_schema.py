# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: what --json writes is as docs/gate.schema.json says.  All tests of the
# gate verify that of what they write; here are a run and comparisons with all that there
# can be, and that the schema refuses what is not so.

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from callgrind.report.tests.json_schema import SCHEMA, faults
from callgrind.report.tests.suite_case import SuiteCase

BY_JSONSCHEMA = """
import json, jsonschema, sys
schema, documents = json.load(open("schema")), json.load(open("documents"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
json.dump([validator.is_valid(each) for each in documents], sys.stdout)
"""


def nodes(value: Any) -> Iterator[Any]:
    """All objects and lists within."""
    if isinstance(value, (dict, list)):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from nodes(each)


class Schema(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        names = ("a.py::x", "worse", "gone", b"\xff\n")
        self.names(*names)
        self.measure("--trees", "--shake=2")
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.give([(7, 0, name, {"f": 300, "h": 5}) for name in ("new", *names[:2])],
                  ends=3)  # fmt: skip
        self.measure("--trees", "--shake=2", status=2, commit="two")
        self.run_json = json.loads(Path("run.json").read_text())
        found = self.compared(
            "--pages=p", "--function-growth=f:1%", "--function-growth=none:1", status=1
        )
        self.documents = [self.run_json, found]
        self.documents.append(self.compared("--allow-missing", status=1))

    def test_what_is_in_a_run(self) -> None:
        found = self.run_json
        self.assertEqual((found["kind"], found["status"], found["commit"]),
                         ("run", 2, "two"))  # fmt: skip
        rows = {each["name"]: each for each in found["benchmarks"]}
        self.assertEqual(set(rows), {"py", "py/new", "py/a.py::x", "py/worse"})
        self.assertEqual(rows["py/a.py::x"]["group"], "py/a.py")
        self.assertEqual(rows["py/worse"]["total"], {"Ir": 305})
        self.assertTrue(rows["py/worse"]["has_tree"])
        self.assertIn("ended with 3", rows["py"]["error"])

    def test_what_is_in_a_comparison(self) -> None:
        rows = {each["name"]: each for each in self.documents[1]["benchmarks"]}
        self.assertTrue(rows["py/worse"]["page"].startswith("p/"))
        self.assertEqual(rows["py/new"]["page"], None)
        self.assertEqual(rows["py/worse"]["group"], "py")
        self.assertEqual(len(self.documents[2]["not_run"]), 2)

    def test_they_are_as_the_schema_says(self) -> None:
        for document in self.documents:
            self.assertEqual(list(faults(document)), [])

    def changed(self) -> Iterator[Any]:
        """The documents, each with one thing that is wrong."""
        for document in self.documents:
            for number, node in enumerate(nodes(document)):
                for place in node if isinstance(node, dict) else range(len(node)):
                    other = copy.deepcopy(document)
                    found = list(nodes(other))[number]
                    found[place] = 1.5  # which nothing is
                    yield other

    def test_what_is_wrong_is_refused(self) -> None:
        count = 0
        for document in self.changed():
            self.assertNotEqual(list(faults(document)), [])
            count += 1
        self.assertGreater(count, 200)
        for document in self.documents:
            for name in document:
                other = {key: value for key, value in document.items() if key != name}
                self.assertNotEqual(list(faults(other)), [], name)
            self.assertNotEqual(list(faults({**document, "more": 1})), [])
            self.assertNotEqual(list(faults({**document, "status": True})), [])

    def test_the_package_jsonschema_says_the_same(self) -> None:
        for python in (sys.executable, "/usr/bin/python3", "python3"):
            asked = [python, "-c", "import jsonschema; jsonschema.Draft202012Validator"]
            if shutil.which(python) and not subprocess.run(
                    asked, capture_output=True, check=False).returncode:  # fmt: skip
                break
        else:
            self.skipTest("no Python here has the package jsonschema "
                          "(Debian: python3-jsonschema)")  # fmt: skip
        documents = [*self.documents, *list(self.changed())[::7]]
        Path("schema").write_text(json.dumps(SCHEMA))
        Path("documents").write_text(json.dumps(documents))
        said = subprocess.run([python, "-c", BY_JSONSCHEMA], capture_output=True,
                              text=True, check=False)  # fmt: skip
        self.assertEqual(said.returncode, 0, said.stderr)
        expected = [not list(faults(each)) for each in documents]
        self.assertEqual(json.loads(said.stdout), expected)
        self.assertEqual(expected[:4], [True, True, True, False])

    def test_every_field_is_described(self) -> None:
        """By a sentence, or by what it refers to."""
        for name, definition in SCHEMA["$defs"].items():
            for field, about in definition.get("properties", {}).items():
                is_plain = {"const", "enum", "$ref"} & set(about) or name == "count"
                text = about.get("description", "")
                if not is_plain and about.get("items", {}).get("$ref") is None:
                    self.assertTrue(text.endswith("."), (name, field))
