# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, deterministic run of the Python interpreter: json, re, recursion, sorting.

import json
import re


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def depth(tree):
    return 1 + max((depth(branch) for branch in tree), default=0)


records = [
    {"id": i, "name": "n%d" % (i * 37 % 101), "tags": [i % 3, i % 5]} for i in range(60)
]
text = json.dumps(records)
parsed = json.loads(text)
names = re.findall(r'"name": "(n\d+)"', text)
by_name = sorted(parsed, key=lambda record: (record["name"], -record["id"]))
print(len(text), len(names), by_name[0]["id"], fibonacci(11), depth([[], [[], [[]]]]))
