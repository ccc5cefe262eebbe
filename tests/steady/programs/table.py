# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sets and dictionaries of strings, random numbers, and modules of the library.

import json
import os
import random
import re

words = {f"word{random.getrandbits(10)}" for _ in range(400)}
order = [word for word in words if re.match(r"word\d+5$", word)]
table = {word: index * (os.cpu_count() or 1) for index, word in enumerate(words)}
again = json.loads(json.dumps(table))
assert sorted(again) == sorted(words) and len(order) <= len(words)
