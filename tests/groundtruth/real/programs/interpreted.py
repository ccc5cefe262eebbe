# SPDX-License-Identifier: GPL-2.0-or-later
#
# A little of all that CPython does in C: recursion, generators, exceptions, sorting with
# a callback, json, regular expressions, a thread.

import json
import re
import threading


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def work():
    text = json.dumps({str(n): list(range(n % 7)) for n in range(100)})
    words = re.findall(r"\d+", text)
    words.sort(key=lambda word: (len(word), word))
    try:
        return fibonacci(9) + len(words) + json.loads(text)["none"]
    except KeyError:
        return sum(n * n for n in range(50)) + len(words)


results = [work()]
thread = threading.Thread(target=lambda: results.append(work()))
thread.start()
thread.join()
print(results)
